import sanitizeHtml from "sanitize-html"
import { TOKEN_CLASSES } from "../highlight/tokens.ts"
import { addressFor, prefixedId } from "./addresses.ts"
import { MATHML_ATTRIBUTES, MATHML_ELEMENTS, mathmlAttributes } from "./mathml.ts"
import { picturePath } from "./pictures.ts"
import type { Rendering } from "./rendering.ts"
import { nameIn } from "./tasks.ts"

/** The last step of rendering: keeps elements and attributes of a list, and nothing else. */

/** Elements with the attributes that they may have besides `EVERYWHERE`. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  a: ["href", "rel"],
  abbr: [],
  b: [],
  blockquote: [],
  br: [],
  caption: [],
  center: [],
  code: [],
  dd: [],
  del: [],
  details: ["open"],
  dfn: [],
  div: ["align"],
  dl: [],
  dt: [],
  em: [],
  figcaption: [],
  figure: [],
  h1: ["align"],
  h2: ["align"],
  h3: ["align"],
  h4: ["align"],
  h5: ["align"],
  h6: ["align"],
  hr: [],
  i: [],
  img: ["src", "srcset", "alt", "width", "height", "align", "loading"],
  input: ["type", "disabled", "checked", "data-task", "aria-label"],
  ins: [],
  kbd: [],
  li: ["value"],
  mark: [],
  ol: ["start", "type", "reversed"],
  p: ["align"],
  picture: [],
  pre: [],
  q: [],
  rp: [],
  rt: [],
  ruby: [],
  s: [],
  samp: [],
  section: [],
  small: [],
  source: ["src", "srcset", "media", "type", "width", "height"],
  span: [],
  strike: [],
  strong: [],
  sub: [],
  summary: [],
  sup: [],
  table: ["align", "width"],
  tbody: [],
  td: ["align", "valign", "colspan", "rowspan", "width"],
  tfoot: [],
  th: ["align", "valign", "colspan", "rowspan", "scope", "width"],
  thead: [],
  tr: ["align", "valign"],
  tt: [],
  u: [],
  ul: [],
  var: [],
  video: ["src", "controls", "muted", "width", "height"],
  wbr: [],
}

const EVERYWHERE = ["id", "class", "dir", "lang", "title", "aria-label"] as const

/** Dropped with their content; of all other elements that are not listed the content stays. */
const DROPPED_WHOLE = [
  ...["script", "style", "textarea", "option", "select", "noscript", "noembed", "noframes", "iframe", "object", "title", "template"],
  ...["svg", "math", "xmp", "plaintext", "button"],
]

/** Those that the renderer itself sets; others could imitate parts of a page. */
const CLASSES: readonly string[] = [
  ...["attention-header", "attention-note", "attention-tip", "attention-important", "attention-warning", "attention-caution"],
  ...[
    "contains-task-list",
    "task-list-item",
    "footnotes",
    "footnote-ref",
    "footnote-backref",
    "emoji",
    "mention",
    "ref-issue",
    "ref-commit",
    "ref-lines",
    "elsewhere",
  ],
]
const LANGUAGE = /^language-[\w+#.-]{1,40}$/

/** Attributes that are numbers: anything else is dropped. */
const NUMBERS: readonly string[] = ["width", "height", "colspan", "rowspan", "start", "value"]
const NUMBER = /^-?\d{1,5}%?$/
/** Tables with cells that span more than this are of no use, and slow in browsers. */
const WIDEST_SPAN = 100

/** Deeper elements are dropped: browsers and mail readers have limits of their own. */
const DEEPEST = 64

type Attributes = Readonly<Record<string, string>>

/** What a text without formulas may have, and with them. */
const ALLOWED = allowed(ELEMENTS)
const ALLOWED_WITH_MATHS = allowed({ ...ELEMENTS, ...Object.fromEntries(MATHML_ELEMENTS.map((name) => [name, MATHML_ATTRIBUTES])) })

function allowed(elements: Readonly<Record<string, readonly string[]>>) {
  const attributes = Object.fromEntries(Object.entries(elements).map(([tag, names]) => [tag, [...names]]))
  return { allowedTags: Object.keys(elements), allowedAttributes: { "*": [...EVERYWHERE], ...attributes } }
}

const isMathml = new Set(MATHML_ELEMENTS)

/**
 * HTML that is safe in a page: no scripts, handlers, styles, forms, frames or addresses that run; ids have a prefix. MathML stays where it carries the
 * key, which is that of this text's own formulas.
 */
export const sanitise = (html: string, rendering: Rendering, mathsKey?: string): string =>
  sanitizeHtml(html, {
    ...(mathsKey === undefined ? ALLOWED : ALLOWED_WITH_MATHS),
    nonTextTags: DROPPED_WHOLE,
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesByTag: { img: ["http", "https"], source: ["http", "https"], video: ["http", "https"] },
    selfClosing: ["br", "hr", "img", "input", "source", "wbr"],
    nestingLimit: DEEPEST,
    parseStyleAttributes: false,
    transformTags: {
      // Of the renaming of elements that are not allowed, sanitize-html keeps the name for a later one; what must go becomes something that may stay.
      "*": (tag, given) => {
        if (tag === "input" && given["type"] !== "checkbox") return { tagName: "wbr", attribs: {} }
        if (mathsKey !== undefined && isMathml.has(tag))
          return given["data-maths"] === mathsKey ? { tagName: tag, attribs: mathmlAttributes(given) } : { tagName: "span", attribs: {} }
        return { tagName: tag, attribs: cleaned(tag, given, rendering) }
      },
      img: (tag, given) => {
        const { src = "", alt } = cleaned(tag, given, rendering)
        return isElsewhere(src, rendering) ? pictureElsewhere(src, alt) : { tagName: tag, attribs: given }
      },
    },
  })

/** The attributes as they may stand. */
function cleaned(tag: string, given: Attributes, rendering: Rendering): Record<string, string> {
  const { id, class: classes, name, ...others } = given
  const kept: Record<string, string> = {}
  const anchor = id || (tag === "a" ? name : undefined)
  if (anchor && anchor.length <= LONGEST_ID && (rendering.style !== "plain" || OF_FOOTNOTE.test(anchor))) kept["id"] = prefixedId(anchor)
  const known = rendering.style === "plain" ? [] : (classes ?? "").split(/\s+/).filter((each) => isOurs(tag, each))
  if (known.length > 0) kept["class"] = known.join(" ")
  for (const [attribute, value] of Object.entries(others)) if (isFitting(attribute, value)) kept[attribute] = value
  switch (tag) {
    case "a":
      return linked(kept, given["href"], rendering)
    case "img":
    case "source":
    case "video":
      return shown(tag, kept, given, rendering)
    case "input":
      return box(given, rendering)
    case "p":
    case "ul":
    case "ol":
      return { dir: "auto", ...kept }
    default:
      return kept
  }
}

/** A box that can't be ticked has no label of its own; its state is what it says. */
function box(given: Attributes, { style }: Rendering): Record<string, string> {
  const state = { type: "checkbox", disabled: "", ...("checked" in given && { checked: "" }) }
  const name = nameIn(given["data-task"])
  if (name !== undefined) return { ...state, "data-task": name, "aria-label": given["aria-label"] ?? "" }
  return { ...state, ...(style !== "plain" && { "aria-label": "checked" in given ? "Done" : "To do" }) }
}

const LONGEST_ID = 200
const OF_FOOTNOTE = /^user-content-fn(ref)?-\d+(-\d+)?$/

const isOurs = (tag: string, name: string): boolean =>
  CLASSES.includes(name) || (tag === "code" && LANGUAGE.test(name)) || (tag === "span" && OF_CODE.has(name))

const OF_CODE: ReadonlySet<string> = new Set(TOKEN_CLASSES)

function isFitting(attribute: string, value: string): boolean {
  if (!NUMBERS.includes(attribute)) return true
  return NUMBER.test(value) && (!attribute.endsWith("span") || Number.parseInt(value, 10) <= WIDEST_SPAN)
}

/** Without an address that is allowed, a link is no more than an anchor. */
function linked({ href: _, ...kept }: Record<string, string>, href: string | undefined, rendering: Rendering): Record<string, string> {
  const address = href === undefined ? undefined : addressFor(href, "page", rendering)
  return address === undefined ? kept : { href: asPath(address, rendering), ...kept, rel: "nofollow" }
}

const asPath = (address: string, { isForPage, rootUrl }: Rendering): string =>
  isForPage && address.startsWith(`${rootUrl}/`) ? address.slice(rootUrl.length) : address

/** The address of a picture or video, if it is allowed. */
function shownFrom(written: string, rendering: Rendering): string | undefined {
  const address = addressFor(written, "media", rendering)
  return address === undefined ? undefined : asPath(address, rendering)
}

const isElsewhere = (address: string, { isForPage }: Rendering): boolean => isForPage === true && /^(?:https?:)?\/\//i.test(address)

/** The address of a picture by way of this server, where it is elsewhere and may be shown. */
const throughHere = (address: string, rendering: Rendering): string =>
  (rendering.pictureKey !== undefined && isElsewhere(address, rendering) && picturePath(address, rendering.pictureKey)) || address

/** What stands for a picture of another site that is not shown: its description, and where it is. */
function pictureElsewhere(address: string, alt = "") {
  const host = URL.parse(address)?.host ?? ""
  return { tagName: "span", attribs: { class: "elsewhere", title: address }, text: alt.trim() === "" ? `picture at ${host}` : alt }
}

function shown(
  tag: string,
  { src: _, srcset: __, ...kept }: Record<string, string>,
  { src, srcset }: Attributes,
  rendering: Rendering,
): Record<string, string> {
  const address = src === undefined ? undefined : shownFrom(src, rendering)
  // What else has an address, such as a video, is too large to be fetched for readers.
  const source = address !== undefined && tag === "img" ? throughHere(address, rendering) : address
  const sources = srcset === undefined ? undefined : sourcesOf(srcset, rendering)
  if (tag !== "img" && source !== undefined && isElsewhere(source, rendering)) return kept
  return {
    ...(source !== undefined && { src: source }),
    ...(sources !== undefined && { srcset: sources }),
    ...kept,
    ...(tag === "img" && { loading: "lazy" }),
  }
}

/** A list of addresses with widths or densities; undefined if one of them is not allowed. */
function sourcesOf(written: string, rendering: Rendering): string | undefined {
  const sources = written.split(",").map((each) => {
    const [address = "", size = "", ...more] = each.trim().split(/\s+/)
    const shown = shownFrom(address, rendering)
    const allowed = shown === undefined ? undefined : throughHere(shown, rendering)
    return allowed === undefined || isElsewhere(allowed, rendering) || more.length > 0 || !/^(\d{1,5}(\.\d{1,3})?[wx])?$/.test(size)
      ? undefined
      : `${allowed} ${size}`.trim()
  })
  return sources.includes(undefined) ? undefined : sources.join(", ")
}
