// Makes `hearth/client`: the modules of src/client, and those that follow from the OpenAPI document, as JavaScript and as types. `node bin/build-client.mjs FOLDER`
// makes it there.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isolatedDeclarationSync, transformSync } from "rolldown/experimental"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const source = join(home, "src/client")
/** The entry is `all`, which people import as `hearth/client`. */
const written = ["call", "events", "index", "pages", "refusal"]

/** Writes JavaScript below `folder`, and types below `types`. */
export async function buildClient(folder = join(home, "dist/client"), types = join(home, "dist/types/client")) {
  if (!existsSync(source)) return
  const [{ operations }, { openapi31 }, { readRecorded }, { modulesOf }, { API_VERSION }] = await Promise.all([
    import("../src/operations.ts"),
    import("../src/servers/api/documents/openapi31.ts"),
    import("../src/servers/api/documents/recorded.ts"),
    import("../src/servers/api/documents/client-modules.ts"),
    import("../src/core/version.ts"),
  ])
  const document = openapi31(operations, { version: API_VERSION, recorded: await readRecorded() })
  const modules = [...written.map((name) => ({ name, text: readFileSync(join(source, `${name}.ts`), "utf8") })), ...modulesOf(document)]
  for (const made of [folder, types]) rmSync(made, { recursive: true, force: true })
  for (const { name, text } of modules) {
    const file = `${name}.ts`
    write(join(folder, `${name}.js`), checked(file, transformSync(file, text, { typescript: { rewriteImportExtensions: true } })))
    write(join(types, `${name}.d.ts`), checked(file, isolatedDeclarationSync(file, text)).replace(/(from ".+)\.ts"/g, '$1.js"'))
  }
  // Bundlers leave out what is not called: no module does anything when it is loaded.
  write(join(folder, "package.json"), `${JSON.stringify({ type: "module", sideEffects: false })}\n`)
}

function checked(file, { code, errors }) {
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`)
  return code
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv
  await buildClient(folder, folder)
}
