import { join } from "node:path"

/** Where this program's files are. It runs from its sources, or from what `bin/build.mjs` makes of them: files that all lie in `dist/`. */

export const isBuilt = import.meta.filename.endsWith(".js")

/** The folder that holds `package.json`, `assets`, and `src` or `dist`. */
export const HOME = join(import.meta.dirname, isBuilt ? ".." : "../../..")

/** The file of a module that is not imported but started or read, by its path below `src` without its ending. The build has a list of them. */
export const modulePath = (path: string): string =>
  isBuilt ? join(import.meta.dirname, `${path.replaceAll("/", "-")}.js`) : join(HOME, "src", `${path}.ts`)

/** The folder of the modules for the browser, as `bin/build-browser.mjs` makes them. */
export const BROWSER_MODULES = join(HOME, "dist/browser")
