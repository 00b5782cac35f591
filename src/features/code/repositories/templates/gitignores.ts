import { assetPath } from "../../../../core/assets.ts"
import { templatesIn } from "./folder.ts"

/** What a new repository may be told to ignore. */
export const gitignores = templatesIn(assetPath("templates/gitignore"), ".gitignore")
