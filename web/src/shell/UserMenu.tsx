import { useMe } from "@/api/me";
import { signOut } from "@/api/session";
import { paths } from "@/lib/paths";
import { setPreference, type Theme, usePreferences } from "@/preferences/preferences";
import { KeyRound, LogOut, Monitor, Moon, Settings, Sun, User } from "@/ui/icons";
import { MenuButton, MenuHeading, MenuLink, MenuList } from "@/ui/MenuList";
import { notifyFailed } from "@/ui/notify";
import { Popup } from "@/ui/Popup";

const THEMES: [Theme, string, typeof Sun][] = [
  ["system", "As the system", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
];

/** Who is signed in, what they chose, and the way out. */
export function UserMenu() {
  const me = useMe();
  const { theme } = usePreferences();
  const name = me?.display_name || me?.username || "You";
  return (
    <Popup label={`Signed in as ${name}`} align="end" button={<User aria-hidden="true" />}>
      {(close) => (
        <MenuList label="You">
          <MenuHeading>
            {name}
            {me?.is_admin === true && ", administrator"}
          </MenuHeading>
          <MenuLink href={paths.settings()} icon={<Settings aria-hidden="true" />} onClick={close}>
            Settings
          </MenuLink>
          <MenuLink href={paths.tokens()} icon={<KeyRound aria-hidden="true" />} onClick={close}>
            Tokens
          </MenuLink>
          <MenuHeading>Theme</MenuHeading>
          {THEMES.map(([value, label, Icon]) => (
            <MenuButton
              key={value}
              icon={<Icon aria-hidden="true" />}
              pressed={theme === value}
              onClick={() => setPreference("theme", value)}
            >
              {label}
            </MenuButton>
          ))}
          <MenuHeading>Session</MenuHeading>
          <MenuButton
            icon={<LogOut aria-hidden="true" />}
            onClick={() => void signOut().catch((error: unknown) => notifyFailed("sign out", error))}
          >
            Sign out
          </MenuButton>
        </MenuList>
      )}
    </Popup>
  );
}
