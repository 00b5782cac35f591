import type { Git, ObjectId, Repository } from "../../../git/index.ts"
import { openProperties } from "./properties.ts"

/** The widest tabs that pages show; the style sheet has a class for each width. */
const WIDEST = 8
/** Characters of patterns times those of paths, for one page. */
const MOST_STEPS = 20_000_000

/** The class for the width of tabs in a file, by its path. Undefined where no .editorconfig says it. */
export type TabClassOf = (parts: readonly string[]) => Promise<string | undefined>

/** The widths of tabs in the files of a tree, as .editorconfig files say them. */
export function openTabs(git: Git, repository: Repository, tree: ObjectId): TabClassOf {
  const propertiesOf = openProperties(git, repository, tree, MOST_STEPS)
  return async (parts) => {
    const said = await propertiesOf(parts)
    // A tab is as wide as an indent where its own width is not said.
    const width = [said?.get("tab_width"), said?.get("indent_size")].find((value) => /^[1-9]\d?$/.test(value ?? ""))
    return width === undefined ? undefined : `tab-${Math.min(Number(width), WIDEST)}`
  }
}
