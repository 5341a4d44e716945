import { expectAccessible } from "@test/axe";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { type Column, DataTable, nextOrder } from "./DataTable";

interface Row {
  id: string;
  name: string;
  size: number;
}

const columns: Column<Row>[] = [
  { id: "name", header: "Name", width: "1fr", orderBy: "name", cell: ({ name }) => name },
  { id: "size", header: "Size", width: "80px", align: "end", cell: ({ size }) => size },
];
const rows: Row[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: `job_${index}`,
  name: `row ${index}`,
  size: index,
}));
const keyOf = ({ id }: Row) => id;
const hrefOf = ({ id }: Row) => `/p/vision/jobs/${id}`;
const noteOf = ({ size }: Row) => (size === 1 ? "waits for a GPU" : null);

function Selectable({ onOrder }: { onOrder?: (order: string) => void }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      <output>{[...selected].join(" ")}</output>
      <DataTable
        label="Jobs"
        rows={rows}
        columns={columns}
        rowKey={keyOf}
        rowHref={hrefOf}
        rowNote={noteOf}
        selected={selected}
        onSelect={setSelected}
        order="-name"
        onOrder={onOrder}
        height={600}
      />
    </>
  );
}

describe("a table", () => {
  it("draws only what is in view, and says how many rows there are", async () => {
    const { container } = render(<Selectable />);
    const table = screen.getByRole("table", { name: "Jobs" });
    expect(table.getAttribute("aria-rowcount")).toBe("10001");
    expect(within(table).getAllByRole("row").length).toBeLessThan(60);
    expect(table.textContent).toContain("waits for a GPU");
    await expectAccessible(container);
  });

  it("moves, selects and opens by keyboard", async () => {
    render(<Selectable />);
    const user = userEvent.setup();
    screen.getByRole("link", { name: "row 0" }).focus();
    await user.keyboard("j");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("row 1"));
    await user.keyboard("x");
    expect(screen.getByRole("status").textContent).toBe("job_1");
    await user.keyboard("k");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("row 0"));
    expect(document.activeElement?.getAttribute("href")).toBe("/p/vision/jobs/job_0");
  });

  it("asks the server for another order", async () => {
    const onOrder = vi.fn();
    render(<Selectable onOrder={onOrder} />);
    expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("descending");
    await userEvent.click(screen.getByRole("button", { name: "Name" }));
    expect(onOrder).toHaveBeenCalledWith("name");
  });

  it("asks for the next page near the end, once at a time", () => {
    const onMore = vi.fn();
    const few = rows.slice(0, 10);
    const table = (isLoading: boolean) => (
      <DataTable
        label="Jobs"
        rows={few}
        columns={columns}
        rowKey={keyOf}
        hasMore
        isLoading={isLoading}
        onMore={onMore}
      />
    );
    const { rerender } = render(table(true));
    expect(onMore).not.toHaveBeenCalled();
    rerender(table(false));
    expect(onMore).toHaveBeenCalledOnce();
  });

  it("orders by the largest first, then the other way", () => {
    expect(nextOrder(undefined, "size")).toBe("-size");
    expect(nextOrder("-size", "size")).toBe("size");
    expect(nextOrder("name", "size")).toBe("-size");
  });
});
