import { enableCompileCache, registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** Makes loading our own modules cheap; imported before any other of them. There are a thousand, and they were most of a start. */

const home = join(import.meta.dirname, "..")
const ours = `${pathToFileURL(home).href}/`
const format = import.meta.filename.endsWith(".ts") ? "module-typescript" : "module"

// Kept beside the packages, where only this program writes. Where it can't be kept, the program only starts more slowly.
enableCompileCache(join(home, "..", "node_modules", ".cache", "hearth"))

// Our imports say exactly where a module is. Node.js would ask the file system for each, and every folder above it for a `package.json`.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith(".") && context.parentURL?.startsWith(ours)
      ? { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
      : next(specifier, context),
})
