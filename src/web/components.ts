import type { User } from "../core/actor.ts"
import { avatarPath } from "../core/avatar.ts"
import { attribute, type Content, flagged, type Html, html } from "../core/html.ts"
import { type Text, t } from "../core/language/message.ts"
import type { Page as ListPage } from "../core/operation.ts"
import { EXPLAIN_PATH, path, withQuery } from "./address.ts"
import { icon } from "./icon.ts"
import type { IconName } from "./icon-names.ts"
import type { Keys } from "./shortcuts.ts"
import { count } from "./time.ts"

/** Parts of pages that know no feature. Every one of them is shown on the style page, `/-/style`. */

/** A person or an organisation. */
export type Named = Pick<User, "id" | "name" | "avatar">

/** A picture of a person. It is decoration: the name stands beside it. */
export const avatar = (user: Omit<Named, "name">, size = 20): Html =>
  html`<img class="avatar" src="${avatarPath(user)}" width="${size}" height="${size}" alt="" loading="lazy">`

/** A person's name as a link to their page. */
export const person = (user: Pick<Named, "name"> | null | undefined): Html =>
  user ? html`<a class="strong" href="${path(user.name)}"><bdi>${user.name}</bdi></a>` : html`<span class="strong">Ghost</span>`

/** The picture and the name. */
export const personWithAvatar = (user: Named | null | undefined, size = 20): Html =>
  user ? html`${avatar(user, size)} ${person(user)}` : person(user)

/** The attribute of an element that these keys press. */
export const shortcut = (keys: Keys | undefined): Html => attribute("aria-keyshortcuts", keys)

export interface Tab {
  readonly href: string
  readonly text: Text
  readonly icon?: IconName
  readonly count?: number
  /** Whether there may be more than were counted. */
  readonly isAtLeast?: boolean
  readonly current?: boolean
  /** The keys that follow the link. */
  readonly keys?: Keys
}

/** Links to the parts of a thing, of which one is shown. */
export function tabs(label: Text, items: readonly Tab[]): Html {
  const beside = items.length > MOST_TABS ? FIRST_TABS : items.length
  const others = items.slice(beside)
  return html`
    <nav class="tabs" aria-label="${label}">
      ${items.slice(0, beside).map(tabLink)}${others.length > 0 && folded("tabs", t("More"), others, tabLink)}
    </nav>
  `
}

const tabLink = (tab: Tab): Html =>
  html`
    <a
      href="${tab.href}"
      ${attribute("aria-current", tab.current ? "page" : undefined)}
      ${shortcut(tab.keys)}
    >
      ${tab.icon && icon(tab.icon)}${tab.text}
      ${tab.count !== undefined && tab.count > 0 && html` <span class="count">${count(tab.count)}${tab.isAtLeast && "+"}</span>`}
    </a>
  `

/** The most tabs that a phone has room for. Of more, it shows the first, and the others in a sheet. */
const MOST_TABS = 4
const FIRST_TABS = 3

/** Links that stand where they are, and on a phone in a sheet. Its button says which of them is current, or `text`. It works without scripts. */
function folded(kind: "tabs" | "side", text: Text, items: readonly Tab[], link: (tab: Tab) => Html): Html {
  const current = items.find((tab) => tab.current)
  const id = `${kind}:${items[0]?.href}`
  return html`
    <button type="button" class="quiet opens-sheet" popovertarget="${id}" ${attribute("aria-current", current && "page")}>
      ${current?.icon && icon(current.icon)}${current?.text ?? text}${icon("triangle-down")}
    </button>
    <div class="sheet" id="${id}" popover>${items.map(link)}</div>
  `
}

/** The same as a list at the side of a page. */
export const sideNav = (label: Text, items: readonly Tab[]): Html =>
  html`
    <nav class="side-nav" aria-label="${label}">${folded("side", label, items, sideLink)}</nav>
  `

const sideLink = (tab: Tab): Html =>
  html`
    <a href="${tab.href}" ${attribute("aria-current", tab.current ? "page" : undefined)}>
      ${tab.icon && icon(tab.icon)}<span class="break">${tab.text}</span>
      ${tab.count !== undefined && html`<span class="count end">${count(tab.count)}</span>`}
    </a>
  `

/** A few choices beside each other. */
export const choices = (label: Text, items: readonly Tab[]): Html =>
  html`
    <nav class="group" aria-label="${label}">
      ${items.map(
        (tab) =>
          html`
            <a class="button small" href="${tab.href}" ${attribute("aria-current", tab.current ? "true" : undefined)}>
              ${tab.icon && icon(tab.icon)}${tab.text}
              ${tab.count !== undefined && html` <span class="count">${count(tab.count)}</span>`}
            </a>
          `,
      )}
    </nav>
  `

/** What opens a list of links or forms; it works without scripts. */
export const menu = (
  label: Content,
  items: Content,
  { starts = false, name = "button small" }: { readonly starts?: boolean; readonly name?: string } = {},
): Html =>
  html`
    <details class="menu${starts ? " starts" : ""}">
      <summary class="${name}">${label}</summary>
      <div class="menu-items">${items}</div>
    </details>
  `

/** What is shown where a list has nothing: what would be here, and what one can do. */
export const empty = (name: IconName, title: Text, text?: Content, action?: Content): Html =>
  html`
    <div class="empty">
      ${icon(name)}
      <h2>${title}</h2>
      ${text && html`<p class="muted">${text}</p>`}
      ${action}
    </div>
  `

/** The rows of a list and what follows them, or what stands where there are none. */
export const rowsOr = <Row>(rows: readonly Row[], row: (each: Row) => Content, none: Content, after?: Content, card = false): Content =>
  rows.length === 0 ? none : html`<ul class="rows${card && " card"}">${rows.map(row)}</ul>${after}`

/** A column: its heading, and whether it has numbers. */
type Column = Text | { readonly number: Text }

/** A table that scrolls by itself where it is too wide; the rows are `tr`. */
export const table = (label: Text, columns: readonly Column[], rows: Content, name = "scrolls card"): Html =>
  html`
    <div class="${name}" tabindex="0" role="group" aria-label="${label}">
      <table class="data">
        <thead>
          <tr>
            ${columns.map((each) =>
              typeof each === "object" && "number" in each
                ? html`<th scope="col" class="number">${each.number}</th>`
                : html`<th scope="col">${each}</th>`,
            )}
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `

/** Links to the pages of a list before and after this one. Nothing where there is one page. */
export function pager(url: string, { number, limit }: ListPage, total: number): Html {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && number === 1) return html``
  const to = (target: number) => withQuery(url, { page: target === 1 ? undefined : target })
  return html`
    <nav class="pager" aria-label="Pages">
      ${
        number > 1 && html`<a class="button small" rel="prev" href="${to(Math.min(number - 1, last))}">${icon("chevron-left")} Previous</a>`
      }
      <span class="muted small">Page ${number} of ${last}</span>
      ${number < last && html`<a class="button small" rel="next" href="${to(number + 1)}">Next ${icon("chevron-right")}</a>`}
    </nav>
  `
}

export type Tone = "good" | "bad" | "warn" | "info"

export const notice = (tone: Tone, content: Content): Html =>
  html`<div class="notice ${tone}" role="${tone === "bad" ? "alert" : "status"}">${content}</div>`

/** Copies a text, and says so. Without scripts it is not there, so the text must be on the page as well. */
export const copyButton = (text: string, content: Content, look = "small"): Html =>
  html`<button type="button" ${attribute("class", look || undefined)} data-copy="${text}">${content}</button>`

/** What is shown once or is long, such as a token, to be copied. */
export const toCopy = (text: string, label: Text): Html =>
  html`<div class="bar"><code class="break">${text}</code>${copyButton(text, icon("copy", label))}</div>`

/** A state in words, with its colour and icon. */
export const state = (tone: string, name: IconName, text: Text, badge = false): Html =>
  html`<span class="state ${tone}${badge ? " badge" : ""}">${icon(name)}${text}</span>`

/** A label, with its colour as a dot: a colour that people chose freely can't be read on. `color` is six hexadecimal digits. */
export function label(text: string, color: string, { href, title }: { readonly href?: string; readonly title?: string } = {}): Html {
  const digits = /^#?([0-9a-f]{6})$/i.exec(color)?.[1] ?? "808080"
  const inside = html`
    <svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="#${digits}"/></svg>
    <bdi>${text}</bdi>
  `
  return href === undefined
    ? html`<span class="chip" ${attribute("title", title || undefined)}>${inside}</span>`
    : html`<a class="chip" href="${href}" ${attribute("title", title || undefined)}>${inside}</a>`
}

/** A dot in a colour, such as that of a language. */
export const dot = (color: string): Html =>
  html`
    <svg class="dot icon" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="5" fill="${/^#[0-9a-f]{6}$/i.test(color) ? color : "#808080"}"/>
    </svg>
  `

export interface Share {
  readonly name: string
  /** Like `#3178c6`. */
  readonly color: string
  readonly part: number
}

/** Parts of a whole as one bar; what they are must stand beneath it. */
export function shares(parts: readonly Share[]): Html {
  const whole = parts.reduce((sum, { part }) => sum + part, 0) || 1
  let x = 0
  const drawn = parts.map(({ color, part, name }) => {
    const width = (part / whole) * 1000
    const rect = html`
      <rect
        x="${x.toFixed(1)}"
        width="${width.toFixed(1)}"
        height="10"
        fill="${/^#[0-9a-f]{6}$/i.test(color) ? color : "#808080"}"
      >
        <title>${name}</title>
      </rect>
    `
    x += width
    return rect
  })
  return html`<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg>`
}

export interface FieldOptions {
  readonly label: Text
  readonly name: string
  readonly value?: string
  readonly hint?: Content
  /** What is wrong with the value, as a sentence. */
  readonly fault?: Text | undefined
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "date" | "datetime-local"
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly autocomplete?: string
  readonly placeholder?: Text
  readonly maxlength?: number
}

/** A field of a form with its label, a hint and what is wrong with it. */
export function field(options: FieldOptions): Html {
  const { name, value = "", hint, fault, type = "text", autocomplete = "off", placeholder = "", maxlength = 1000 } = options
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(" ")
  return html`
    <div class="field">
      <label for="${name}">${options.label}</label>
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${value}"
        placeholder="${placeholder}"
        autocomplete="${autocomplete}"
        maxlength="${maxlength}"
        ${flagged("required", options.required ?? false)}
        ${flagged("autofocus", options.autofocus ?? false)}
        ${attribute("aria-invalid", fault ? "true" : undefined)}
        ${attribute("aria-describedby", described || undefined)}
      >
      ${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}
      ${fault && html`<span class="fault" id="${name}-fault">${fault}</span>`}
    </div>
  `
}

/** A form of one button: for changes, which links never make. */
export const buttonForm = (action: string, text: Content, fields: Readonly<Record<string, string | number>> = {}, name = "small"): Html =>
  html`
    <form method="post" action="${action}">
      ${Object.entries(fields).map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
      <button class="${name}">${text}</button>
    </form>
  `

/** Leads to the page that explains an address to the reader. */
export const whyLink = (url: string): Html =>
  html`<a class="button" href="${EXPLAIN_PATH}?path=${encodeURIComponent(url)}" rel="nofollow">${icon("info")}Why?</a>`

/** A search field over a list: a GET form that keeps these other values of the query. */
export const filterForm = (
  action: string,
  value: string,
  placeholder: Text,
  keep: Readonly<Record<string, string | undefined>> = {},
  name = "q",
): Html =>
  html`
    <form class="filter" role="search" aria-label="${placeholder}" action="${action}">
      ${Object.entries(keep).map(([key, kept]) => kept && html`<input type="hidden" name="${key}" value="${kept}">`)}
      <input
        type="search"
        name="${name}"
        value="${value}"
        placeholder="${placeholder}"
        aria-label="${placeholder}"
        spellcheck="false"
        autocomplete="off"
      >
      <button aria-label="Search">${icon("search")}<span class="wide-only">Search</span></button>
    </form>
  `
