import { readdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** Licence texts from the package spdx-license-list, one file for each: all of them together would take 5 MB of memory. */
const folder = join(dirname(createRequire(import.meta.url).resolve("spdx-license-list/package.json")), "licenses")

const SPDX_NAME = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,99}$/

let names: Promise<readonly string[]> | undefined

/** The SPDX names of all licences there is a text of, sorted. */
export function licenseNames(): Promise<readonly string[]> {
  names ??= readdir(folder).then((files) =>
    files
      .filter((file) => file.endsWith(".json"))
      .map((file) => file.slice(0, -".json".length))
      .sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), "en")),
  )
  return names
}

/** The text of a licence by its SPDX name, each line ended by a newline; undefined for a name that there is none of. */
export async function licenseText(name: string): Promise<string | undefined> {
  if (!SPDX_NAME.test(name)) return undefined
  const file = await readFile(join(folder, `${name}.json`), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  })
  if (file === undefined) return undefined
  const read: unknown = JSON.parse(file)
  const text = typeof read === "object" && read !== null && "licenseText" in read ? String(read.licenseText) : ""
  return `${text.replaceAll("\r\n", "\n").trim()}\n`
}

/** The GNU licences may not be changed, not even in the lines that show how they are applied. */
const FIXED = /^([AL]?GPL|GFDL)-/
const YEAR = /<year>|\[year\]|\[yyyy\]|\[xxxx\]/gi
const HOLDER =
  /<copyright holders?>|\[copyright holders?\]|<owner>|<name of author>|\[name of copyright (owner|holder)\]|\[fullname\]|<organization>/gi

export interface Holder {
  readonly name: string
  readonly year: number
}

/** Puts year and holder into the copyright line of a licence's text, where it leaves room for them. */
export function fillLicense(name: string, text: string, holder: Holder): string {
  if (FIXED.test(name)) return text
  return text
    .split("\n")
    .map((line) => (/^\s*copyright\b/i.test(line) ? line.replace(YEAR, String(holder.year)).replace(HOLDER, () => holder.name) : line))
    .join("\n")
}
