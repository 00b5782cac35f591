import { UnreadableYamlError } from "../../../core/yaml.ts"
import { readConfig } from "./config.ts"
import type { IssueConfig, IssueTemplate } from "./records.ts"
import { readTemplate } from "./template.ts"

/** What is made of a file among the templates of issues; the fault is for its author. */
export type Document =
  | { readonly kind: "template"; readonly template: IssueTemplate }
  | { readonly kind: "config"; readonly config: IssueConfig }
  | { readonly kind: "fault"; readonly fault: string }

/** The text to parse: what the file is, its path, and what it says. */
export const documentText = (kind: "template" | "config", path: string, text: string): string => `${kind} ${path}\0${text}`

/** Reads what `documentText` makes. */
export function readDocument(document: string): Document {
  const end = document.indexOf("\0")
  const head = document.slice(0, end)
  const text = document.slice(end + 1)
  try {
    return head.startsWith("template ")
      ? { kind: "template", template: readTemplate(head.slice("template ".length), text) }
      : { kind: "config", config: readConfig(text) }
  } catch (error) {
    if (error instanceof UnreadableYamlError) return { kind: "fault", fault: error.message }
    throw error
  }
}
