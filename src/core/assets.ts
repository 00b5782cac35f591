import { join } from "node:path"

/** The path of a file or folder that is shipped with Hearth and is no code; `assets` is next to `src` and `dist`. */
export const assetPath = (...path: readonly string[]): string => join(import.meta.dirname, "../../assets", ...path)
