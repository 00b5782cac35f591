import { join } from "node:path"
import type { Repository } from "../model/model.ts"

/** The object directories of a repository, in the order in which git looks into them. */
export const objectFolders = ({ quarantine, directory, staging, borrows = [] }: Repository): readonly string[] => [
  ...(quarantine === undefined ? [] : [quarantine]),
  // New objects never go there where they are staged.
  ...(staging === undefined ? [join(directory, "objects")] : []),
  ...borrows,
]

/** The object directory that single new objects are written to. */
export const newObjectsOf = ({ staging, directory }: Repository): string => staging ?? join(directory, "objects")

/** Names of a pack's files, or their endings, in the order in which they become visible: the index last, because it makes git see the pack. */
export const indexLast = (names: readonly string[]): readonly string[] =>
  names.toSorted((a, b) => Number(a.endsWith("idx")) - Number(b.endsWith("idx")))
