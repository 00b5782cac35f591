// Makes dist/locales/ of assets/locales/: translations compiled, so that the server doesn't parse messages. Those that say nothing but themselves stay texts.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "@formatjs/icu-messageformat-parser"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const made = join(home, "dist/locales")

export function buildLocales() {
  const folder = join(home, "assets/locales")
  if (!existsSync(folder)) return
  mkdirSync(made, { recursive: true })
  for (const name of readdirSync(folder)) {
    if (name === "en.json") continue
    const messages = Object.entries(JSON.parse(readFileSync(join(folder, name), "utf8")))
    const compiled = messages.map(([message, text]) => [message, /[{}<>'#]/.test(text) ? parse(text, { captureLocation: false }) : text])
    writeFileSync(join(made, name), JSON.stringify(Object.fromEntries(compiled)))
  }
}
