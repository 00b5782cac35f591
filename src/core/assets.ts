import { join } from "node:path"

/** The path of a file or folder that comes with Hearth and is no code; `assets` stands beside `src` and beside `dist`. */
export const assetPath = (...path: readonly string[]): string => join(import.meta.dirname, "../../assets", ...path)
