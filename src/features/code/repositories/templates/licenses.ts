import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { unixLines } from "../../../../core/text/lines.ts"
import { templatesIn } from "./folder.ts"

/** Licence texts from the package spdx-license-list, read one by one: all of them together would take 5 MB of memory. */
const licenses = templatesIn(join(dirname(createRequire(import.meta.url).resolve("spdx-license-list/package.json")), "licenses"), ".json")

/** The SPDX names of all licences with a text, sorted. */
export const licenseNames = licenses.names

/** The text of a licence by its SPDX name, each line ended by a newline; undefined for an unknown name. */
export async function licenseText(name: string): Promise<string | undefined> {
  const file = await licenses.text(name)
  if (file === undefined) return undefined
  const read: { readonly licenseText: string } = JSON.parse(file)
  return `${unixLines(read.licenseText).trim()}\n`
}

/** The texts of GNU licences may not be changed, not even in the lines that show how to apply them. */
const FIXED = /^([AL]?GPL|GFDL)-/
const YEAR = /<year>|\[year\]|\[yyyy\]|\[xxxx\]/gi
const HOLDER =
  /<copyright holders?>|\[copyright holders?\]|<owner>|<name of author>|\[name of copyright (owner|holder)\]|\[fullname\]|<organization>/gi

export interface Holder {
  readonly name: string
  readonly year: number
}

/** Fills year and holder into the copyright line of a licence's text, if it has placeholders for them. */
export function fillLicense(name: string, text: string, holder: Holder): string {
  if (FIXED.test(name)) return text
  return text
    .split("\n")
    .map((line) => (/^\s*copyright\b/i.test(line) ? line.replace(YEAR, String(holder.year)).replace(HOLDER, () => holder.name) : line))
    .join("\n")
}
