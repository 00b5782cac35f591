import { type Content, type Html, html } from "../core/html.ts"
import type { Text } from "../core/language/message.ts"
import { sideNav, type Tab } from "./components.ts"

/** Pages in parts, such as settings: the parts are a list at the side, and each is a page of the feature that it is about. */

interface Part extends Pick<Tab, "text" | "icon"> {
  /** Below the address that all parts have in common. */
  readonly path: string
}

export type Parts = Readonly<Record<string, Part>>

interface Shown {
  readonly label: Text
  /** The address that all parts have in common. */
  readonly at: string
  readonly current: string
  readonly body: Content
  readonly isWide?: boolean
}

/** One of the parts, beside the list of all. */
export function besideParts(parts: Parts, { label, at, current, body, isWide = false }: Shown): Html {
  const items = Object.entries(parts).map(([name, { path, ...part }]) => ({ ...part, href: at + path, current: name === current }))
  return html`
    <div class="columns start">
      ${sideNav(label, items)}
      <div class="settings${isWide && " wide"}">${body}</div>
    </div>
  `
}
