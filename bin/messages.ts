// Collects what pages, mails and scripts say into assets/locales/en.json, and the keys of `t`: `npm run messages`. Translations that are used no more are taken out of the other catalogues.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { LANGUAGE_CODES, LANGUAGES } from "../src/core/language/languages.ts"
import { messagesIn } from "../tests/structure/messages.ts"

const HELP = `Usage: npm run messages

Writes assets/locales/en.json and src/core/language/keys.ts, which have every message of pages, mails and scripts,
takes messages that are gone out of the translations, and prints how many each language lacks.
`

const home = join(dirname(fileURLToPath(import.meta.url)), "..")

if (process.argv.length > 2) console.log(HELP)
else collect()

function collect(): void {
  const files = readdirSync(join(home, "src"), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "core/language/keys.ts",
  )
  const { notes, keys, browser } = messagesIn(files.sort().map((name) => [name, readFileSync(join(home, "src", name), "utf8")]))
  const messages = [...notes].sort(([one], [other]) => (one < other ? -1 : 1))
  writeJson("en", Object.fromEntries(messages))
  writeFileSync(join(home, "src/core/language/keys.ts"), keysFile([...keys].sort(), [...browser].sort()))
  for (const code of LANGUAGE_CODES) {
    if (code === "en") continue
    const translations: Readonly<Record<string, string>> = readJson(code)
    writeJson(
      code,
      Object.fromEntries(
        Object.entries(translations)
          .filter(([message]) => notes.has(message))
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    )
    const lacking = messages.filter(([message]) => translations[message] === undefined).length
    console.log(`${LANGUAGES[code]}: ${lacking} of ${messages.length} are missing`)
  }
}

function readJson(code: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(join(home, "assets/locales", `${code}.json`), "utf8"))
  } catch {
    return {}
  }
}

function writeJson(code: string, messages: Readonly<Record<string, string>>): void {
  writeFileSync(join(home, "assets/locales", `${code}.json`), `${JSON.stringify(messages, null, 2)}\n`)
}

function keysFile(keys: readonly string[], browser: readonly string[]): string {
  return `/** Written by \`npm run messages\`. */

/** The messages of \`t\`. */
export type MessageKey =
${keys.map((key) => `  | ${JSON.stringify(key)}`).join("\n")}

/** Those that modules for the browser say. */
export const BROWSER_MESSAGES: readonly string[] = [
${browser.map((key) => `  ${JSON.stringify(key)},`).join("\n")}
]
`
}
