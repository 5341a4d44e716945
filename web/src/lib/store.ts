import { useSyncExternalStore } from "react";

/** A value outside of React that components can watch. */
export interface Store<T> {
  get(): T;
  set(next: T | ((now: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const made = typeof next === "function" ? (next as (now: T) => T)(value) : next;
      if (Object.is(made, value)) return;
      value = made;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
