import { escapeHtml } from "../../../core/text/html.ts"

/** The commit that a timeline's entry tells of: stored as a link to its page, since clients of the API show it as it is. */
export const commitText = (url: string, subject: string): string => `${BEGIN}${escapeHtml(url)}${MIDDLE}${escapeHtml(subject)}${END}`

const [BEGIN, MIDDLE, END] = ['<a href="', '">', "</a>"] as const

/** The path of the commit's page and the first line of its message; undefined for what an older version wrote otherwise. */
export function commitIn(text: string): { readonly path: string; readonly subject: string } | undefined {
  const [address = "", subject] = text.slice(BEGIN.length, -END.length).split(MIDDLE, 2)
  if (!text.startsWith(BEGIN) || !text.endsWith(END) || subject === undefined) return undefined
  const url = unescapeHtml(address)
  return URL.canParse(url) ? { path: new URL(url).pathname, subject: unescapeHtml(subject) } : undefined
}

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" }
const unescapeHtml = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
