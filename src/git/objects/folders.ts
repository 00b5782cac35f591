import { join } from "node:path"
import type { Repository } from "../model/model.ts"

/** The object directories of a repository, in the order in which git looks into them. */
export const objectFolders = ({ quarantine, directory, borrows = [] }: Repository): readonly string[] => [
  ...(quarantine === undefined ? [] : [quarantine]),
  join(directory, "objects"),
  ...borrows,
]

/** The object directory that single new objects are written to. */
export const newObjectsOf = ({ staging, directory }: Repository): string => staging ?? join(directory, "objects")
