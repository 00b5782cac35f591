import { parse } from "parse5"

interface Element {
  readonly nodeName: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Element[]
}

const inside = (element: Element): readonly Element[] => [element, ...(element.childNodes ?? []).flatMap(inside)]

/** What is wrong with the HTML of a page: errors, ids that are there twice, not one main heading, attributes and elements that the policy forbids. */
export function faultsIn(html: string): readonly string[] {
  const faults: string[] = []
  const onParseError = ({ code, startOffset }: { readonly code: string; readonly startOffset: number }) =>
    void faults.push(`${code}: ${html.slice(Math.max(0, startOffset - 60), startOffset + 40)}`)
  const elements = inside(parse(html, { onParseError }))
  const attributes = elements.flatMap(({ attrs = [] }) => attrs)
  const ids = attributes.flatMap(({ name, value }) => (name === "id" ? value : []))
  const doubled = ids.filter((id, at) => ids.indexOf(id) !== at)
  if (doubled.length > 0) faults.push(`ids that are there twice: ${[...new Set(doubled)].join(" ")}`)
  const headings = elements.filter(({ nodeName }) => nodeName === "h1").length
  if (headings !== 1) faults.push(`${headings} main headings`)
  for (const { name, value } of attributes) {
    if (name === "style" || name.startsWith("on")) faults.push(`the attribute ${name}`)
    // Pictures in notebooks have no address of their own.
    if (name === "src" && /^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+={0,2}$/.test(value)) continue
    if (/^\s*(?:javascript|data|vbscript):/i.test(value) && /^(?:href|src|action|formaction)$/.test(name)) faults.push(`${name}="${value}"`)
  }
  const scripts = elements.filter(({ nodeName, childNodes = [] }) => nodeName === "script" && childNodes.length > 0)
  if (scripts.length > 0) faults.push("a script that is written into the page")
  return faults
}
