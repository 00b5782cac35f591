import { enableCompileCache, registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { HOME, isBuilt } from "../core/program/home.ts"

/** Makes loading our own modules cheap; imported before any other of them but what says where they are. */

// Kept beside the packages, where only this program writes. Where it can't be kept, the program only starts more slowly.
enableCompileCache(join(HOME, "node_modules", ".cache", "hearth"))

// Our imports say exactly where a module is. Node.js would ask the file system for each of the thousand sources, and every folder above it for a
// `package.json`.
const ours = `${pathToFileURL(join(HOME, "src")).href}/`
if (!isBuilt)
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith(".") && context.parentURL?.startsWith(ours)
        ? { url: new URL(specifier, context.parentURL).href, format: "module-typescript", shortCircuit: true }
        : next(specifier, context),
  })
