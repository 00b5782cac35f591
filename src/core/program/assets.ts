import { join } from "node:path"
import { HOME } from "./home.ts"

/** The path of a file or folder that is shipped with Hearth and is no code. */
export const assetPath = (...path: readonly string[]): string => join(HOME, "assets", ...path)
