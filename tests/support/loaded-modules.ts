import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"

// For `node --import`: at the process's end, the file that LOADED_MODULES names says what was loaded, a line each.

const loaded = new Set<string>()
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    loaded.add(found.url)
    return found
  },
})
process.on("exit", () => {
  const inNode: unknown = Reflect.get(process, "moduleLoadList")
  writeFileSync(process.env["LOADED_MODULES"] ?? "", [...loaded, ...(Array.isArray(inNode) ? inNode.map(String) : [])].join("\n"))
})
