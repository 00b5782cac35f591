import { assetPath } from "../../../../core/program/assets.ts"
import { templatesIn } from "./folder.ts"

export interface TemplateLabel {
  readonly name: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly description: string
  readonly exclusive: boolean
}

const sets = templatesIn(assetPath("templates/labels"), ".json")

export const labelSetNames = sets.names

/** The labels of a set by its name; undefined for an unknown set. */
export async function labelSet(name: string): Promise<TemplateLabel[] | undefined> {
  const text = await sets.text(name)
  return text === undefined ? undefined : JSON.parse(text)
}
