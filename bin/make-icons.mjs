// Makes the sprite of icons, assets/web/icons.svg, and the list of their names from @primer/octicons (MIT).
// It holds what the sources name: run it after naming an icon for the first time, or the last. With --check it only compares.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const icons = JSON.parse(
  readFileSync(join(dirname(createRequire(import.meta.url).resolve("@primer/octicons/package.json")), "build/data.json"), "utf8"),
)

// Every text of a view that is the name of an icon: some are something else too, which costs little.
const LIST = "src/web/icon-names.ts"
const files = readdirSync(join(home, "src"), { recursive: true })
  .map((name) => join("src", name))
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== LIST)
  .map((name) => ({ name, text: readFileSync(join(home, name), "utf8") }))
  .filter(({ name, text }) => name.startsWith("src/web/") || /from "[./]+\/(?:web\/)?(?:icon|icon-names|components)\.ts"/.test(text))
const texts = new Set(
  files.flatMap(({ text }) => [...text.matchAll(/"([a-z][a-z-]*)"|icons\.svg[^#]*#([a-z-]+)/g)].map(([, plain, part]) => plain ?? part)),
)
const names = Object.keys(icons).filter((name) => texts.has(name) && icons[name].heights["16"])

const symbols = names.map((name) => `<symbol id="${name}" viewBox="0 0 16 16">${icons[name].heights["16"].path}</symbol>`)
const notice = "<!-- Octicons, Copyright GitHub Inc., MIT License -->"
const made = {
  "assets/web/icons.svg": `<svg xmlns="http://www.w3.org/2000/svg">${notice}\n${symbols.join("\n")}\n</svg>\n`,
  [LIST]: `/** The icons of the sprite, made by bin/make-icons.mjs. */\nexport type IconName =\n${names.map((name) => `  | "${name}"`).join("\n")}\n`,
}
if (process.argv.includes("--check")) {
  const stale = Object.entries(made).filter(([name, text]) => readFileSync(join(home, name), "utf8") !== text)
  if (stale.length > 0) {
    console.error(`${stale.map(([name]) => name).join(" and ")} must be made anew: node bin/make-icons.mjs`)
    process.exitCode = 1
  }
} else {
  for (const [name, text] of Object.entries(made)) writeFileSync(join(home, name), text)
  console.log(`${names.length} icons`)
}
