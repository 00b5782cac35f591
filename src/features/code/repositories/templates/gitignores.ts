import { assetPath } from "../../../../core/program/assets.ts"
import { templatesIn } from "./folder.ts"

/** The .gitignore templates for new repositories. */
export const gitignores = templatesIn(assetPath("templates/gitignore"), ".gitignore")
