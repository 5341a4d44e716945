import { useMe } from "@/api/me";
import { paths } from "@/lib/paths";
import { setPreference, usePreferences } from "@/preferences/preferences";
import { ButtonLink } from "@/ui/Button";
import { ChoiceField } from "@/ui/Field";
import { KeyRound } from "@/ui/icons";
import { PageHeader } from "@/ui/PageHeader";
import { Fact, Facts, Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";
import { PasswordForm } from "./PasswordForm";
import styles from "./SettingsPage.module.css";

/** How the application looks and behaves for this person in this browser, and the account. */
export function SettingsPage() {
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <ButtonLink href={paths.tokens()} icon={<KeyRound aria-hidden="true" />}>
            Tokens
          </ButtonLink>
        }
      />
      <div className={styles.page}>
        <Panel title="Appearance">
          <Appearance />
        </Panel>
        <Panel title="Account">
          <Account />
        </Panel>
        <Panel title="Password">
          <PasswordForm />
        </Panel>
      </div>
    </>
  );
}

function Appearance() {
  const { theme, times, density, shortcuts } = usePreferences();
  return (
    <div className={styles.choices}>
      <ChoiceField
        label="Theme"
        value={theme}
        options={[
          ["system", "As the system"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={(value) => setPreference("theme", value)}
      />
      <ChoiceField
        label="Times"
        value={times}
        hint="In tables, tooltips and on the axes of charts. The full time is always in the tooltip."
        options={[
          ["relative", "Relative"],
          ["utc", "UTC"],
          ["local", "Local zone"],
        ]}
        onChange={(value) => setPreference("times", value)}
      />
      <ChoiceField
        label="Rows of tables"
        value={density}
        options={[
          ["normal", "Normal"],
          ["compact", "Compact"],
        ]}
        onChange={(value) => setPreference("density", value)}
      />
      <ChoiceField
        label="Shortcuts of single keys"
        value={shortcuts ? "on" : "off"}
        hint="Press ? to see them. Shortcuts with Ctrl or Command always work."
        options={[
          ["on", "On"],
          ["off", "Off"],
        ]}
        onChange={(value) => setPreference("shortcuts", value === "on")}
      />
    </div>
  );
}

function Account() {
  const me = useMe();
  if (me === undefined) return null;
  return (
    <Facts>
      <Fact label="Username">{me.username}</Fact>
      <Fact label="Name">{me.display_name || "–"}</Fact>
      <Fact label="Administrator">{me.is_admin ? "yes" : "no"}</Fact>
      <Fact label="This session ends">
        <Time at={me.token?.expires_at} />
      </Fact>
      <Fact label="Platform version">{me.server_version}</Fact>
    </Facts>
  );
}
