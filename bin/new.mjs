// Begins something new in the project's shape: its file, its test, and its line in the list of its kind. `npm run new -- --help` says how.
// Plain JavaScript for Node.js 20 and newer, as run by npm.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { event, migration, operation, page } from "./new-texts.mjs"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
/** Who is told of which events. */
const TOLD = "src/features/events/stream/kinds.ts"
const read = (path) => readFileSync(join(home, path), "utf8")

const HELP = `Usage: npm run new -- KIND NAME

Writes a file in the project's shape with its test, adds it to the list of its kind, and prints what to fill in.

  operation GROUP/FEATURE   src/features/GROUP/FEATURE/operations.ts, in src/operations.ts
  page FOLDER/NAME          src/pages/FOLDER/NAME.ts, in src/pages.ts
  migration NAME            the next step in src/core/database/migrations, in its index.ts
  event GROUP/FEATURE/SUBJECT.VERB
                            a domain event in src/features/GROUP/FEATURE/events.ts

Examples:
  npm run new -- operation code/pins
  npm run new -- migration pins
  npm run new -- event code/pins/pin.moved`

/** Ends with 2, as the command line of Hearth does for what it refuses. */
function refuse(words) {
  console.error(words)
  process.exit(2)
}

const WORDS = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const capital = (word) => word[0].toUpperCase() + word.slice(1)
const pascal = (name) => name.split("-").map(capital).join("")
const camel = (name) => name[0] + pascal(name).slice(1)
/** Names of lists are in the singular: `pins` makes `pinOperations`. */
const singular = (name) => name.replace(/ies$/, "y").replace(/([^s])s$/, "$1")

function feature(name) {
  const groups = readdirSync(join(home, "src/features"), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  const [group, folder, ...more] = name.split("/")
  if (!groups.includes(group) || folder === undefined || more.length > 0 || !WORDS.test(folder))
    refuse(`"${name}" is no place for a feature. Give GROUP/FEATURE, such as code/pins; the groups are ${groups.join(", ")}.`)
  return {
    folder: `src/features/${group}/${folder}`,
    name: folder,
    words: folder.replaceAll("-", " "),
    title: pascal(folder),
    one: camel(singular(folder)),
  }
}

function pageAt(name) {
  const parts = name.split("/")
  const folder = parts.slice(0, -1).join("/")
  const word = parts.at(-1)
  if (folder === "" || !existsSync(join(home, "src/pages", folder)) || !WORDS.test(word))
    refuse(
      `"${name}" is no place for a page. Give FOLDER/NAME by its address, such as repository/pins or user/settings/pins; the folders are in src/pages.`,
    )
  const file = `src/pages/${name}`
  if (existsSync(join(home, `${file}.ts`)) || existsSync(join(home, file))) refuse(`${file}.ts is there already. Choose another name.`)
  return { file, name: word, words: word.replaceAll("-", " "), one: camel(singular(word)) }
}

/** The list with one more entry: where it is in order, in its place; else at its end. */
function withEntry(text, list, entry) {
  const [whole, before, entries, end] =
    list.exec(text) ?? refuse("The list has not the form that this program knows: add the line yourself.")
  const lines = entries.split("\n").filter((line) => line !== "")
  const isOrdered = lines.every((line, index) => index === 0 || (lines[index - 1] ?? "") <= line)
  const added = `  ${entry},`
  const at = isOrdered ? lines.findIndex((line) => line > added) : -1
  lines.splice(at < 0 ? lines.length : at, 0, added)
  return text.replace(whole, () => `${before}${lines.join("\n")}\n${end}`)
}

const withImport = (text, line) => {
  const last = text.lastIndexOf("\nimport ")
  const end = text.indexOf("\n", last + 1)
  return `${text.slice(0, end + 1)}${line}\n${text.slice(end + 1)}`
}

/** The change of a root list that gets one more entry. Refuses a list that it has already. */
function listedIn(path, registry, list, file) {
  const root = read(path)
  if (new RegExp(`\\b${list}\\b`).test(root)) refuse(`${path} has ${list} already. Choose another name.`)
  const imported = withImport(root, `import { ${list} } from "./${file.slice("src/".length)}.ts"`)
  return { [path]: withEntry(imported, new RegExp(`(= ${registry}\\(\n)([\\s\\S]*?)(\\)\n)`), list) }
}

/** What to write by path: for each kind, from the name. Texts of files that are there already are changed. */
const kinds = {
  operation(name) {
    const it = feature(name)
    return {
      // The version that is made now.
      files: operation({ ...it, version: /^## (\S+)/m.exec(read("CHANGELOG.md"))?.[1] }),
      changes: listedIn("src/operations.ts", "registry", `${it.one}Operations`, `${it.folder}/operations`),
      next: [
        `${it.folder}/operations.ts: the route, who may call it (src/access/policies), what it takes, answers and refuses`,
        `${it.folder}/operations.test.ts: each answer and each refusal`,
        "tests/permissions/expectation.ts, where its rule of access is a new one",
      ],
    }
  },
  page(name) {
    const { file, ...it } = pageAt(name)
    return {
      files: page({ file, ...it }),
      changes: listedIn("src/pages.ts", "pageRegistry", `${it.one}Pages`, file),
      next: [
        `${file}.ts: the address, who may see it, and what it shows`,
        `${file}.test.ts: what is on it, for whom`,
        "a link that leads to it: the test of links asks for one",
      ],
    }
  },
  migration(name) {
    if (!WORDS.test(name)) refuse(`"${name}" is no name of a migration. Give small letters, digits and hyphens, such as pinned-issues.`)
    const folder = "src/core/database/migrations"
    const steps = readdirSync(join(home, folder)).flatMap((file) => /^(\d{4})-(.+)(?<!\.test)\.ts$/.exec(file)?.slice(1, 3) ?? [])
    if (steps.includes(name)) refuse(`There is a migration ${name} already. Choose another name.`)
    const root = read(`${folder}/index.ts`)
    if (new RegExp(`\\b${camel(name)}\\b`).test(root)) refuse(`${folder}/index.ts has ${camel(name)} already. Choose another name.`)
    const id = Math.max(...steps.map(Number).filter(Boolean)) + 1
    const file = `${String(id).padStart(4, "0")}-${name}`
    const index = withEntry(
      withImport(root, `import { ${camel(name)} } from "./${file}.ts"`),
      // Ordered by number, so the new one is the last, whatever its name.
      /(: readonly Migration\[\] = \[\n[\s\S]*?)()(\]\n)/,
      camel(name),
    )
    return {
      files: migration({ folder, file, id, name, table: name.replaceAll("-", "_"), words: name.replaceAll("-", " "), step: camel(name) }),
      changes: { [`${folder}/index.ts`]: index },
      next: [
        `${folder}/${file}.ts: the tables, columns and indexes`,
        "src/core/database/tables/: the types of the columns, in the file of their subject",
        "npm run golden: the script of a new database, assets/database/sqlite.sql",
        `tests/structure/both-databases.ts: ${folder}/${file}.test.ts, which runs on both databases`,
      ],
    }
  },
  event(name) {
    const [, home_, kind, subject, verb] =
      /^(\w+\/[\w-]+)\/(([a-z][A-Za-z]*)\.([a-z][A-Za-z]*))$/.exec(name) ??
      refuse(`"${name}" is no kind of event. Give GROUP/FEATURE/SUBJECT.VERB, such as code/pins/pin.moved.`)
    const { folder } = feature(home_)
    const path = `${folder}/events.ts`
    const texts = event({ folder, feature: home_, type: `${capital(subject)}Event`, file: `${subject}-${verb}`, kind })
    const known = existsSync(join(home, path)) ? read(path) : undefined
    if (known?.includes(`"${kind}"`)) refuse(`${path} has ${kind} already.`)
    // The type of its events is the last in the file.
    const changed = known
      ?.replace(/import type \{ ([^}]*) \} from "[./]*core\/events\/event.ts"/, (line, names) =>
        line.replace(names, [...new Set([...names.split(", "), "OfRepository", "Undated"])].join(", ")),
      )
      .replace(/\n$/, `\n  | (Undated<"${kind}"> & OfRepository)\n`)
    return {
      files: known === undefined ? { ...texts.test, [path]: texts.types } : texts.test,
      changes: {
        ...(changed !== undefined && { [path]: changed }),
        [TOLD]: read(TOLD).replace(/\n\}\n\nconst LINES/, (end) => `\n  "${kind}": { untold: "it is new" },${end}`),
      },
      next: [
        `${path}: the rows that listeners need, and in a comment when it happens`,
        "the verb that publishes it, in the transaction of the change",
        `${TOLD}: who is told of it, with its name in names.ts, or why nobody is`,
        "src/listeners.ts, where something is to follow from it",
        "tests/events/operations.test.ts: among the others, if no example of an operation publishes it",
      ],
    }
  },
}

function main(args) {
  const [kind, name, ...more] = args
  if (args.includes("--help") || args.includes("-h")) return console.log(HELP)
  if (!Object.hasOwn(kinds, kind ?? "") || name === undefined || more.length > 0) refuse(HELP)
  const { files, changes, next } = kinds[kind](name)
  const taken = Object.keys(files).filter((path) => existsSync(join(home, path)))
  if (taken.length > 0)
    refuse(`${taken.join(" and ")} ${taken.length > 1 ? "are" : "is"} there already. Choose another name, or add to it.`)
  for (const [path, text] of Object.entries({ ...files, ...changes })) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const written = [...Object.keys(files), ...Object.keys(changes)]
  // Puts imports in order, and breaks lines.
  const biome = join(home, "node_modules/.bin/biome")
  if (existsSync(biome))
    spawnSync(biome, ["check", "--write", "--log-level=none", ...written], { cwd: home, stdio: ["ignore", "ignore", 2] })
  console.log(
    Object.keys(files)
      .map((path) => `wrote   ${path}`)
      .join("\n"),
  )
  console.log(
    Object.keys(changes)
      .map((path) => `changed ${path}`)
      .join("\n"),
  )
  console.log(
    `\nFill in:\n${next.map((line) => `- ${line}`).join("\n")}\n\nThen: npm run check && npx vitest run ${Object.keys(files).at(-1)}`,
  )
}

main(process.argv.slice(2))
