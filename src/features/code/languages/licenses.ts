import { onDemand } from "../../../core/program/on-demand.ts"
import type { Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { licenseText } from "../repositories/templates/licenses.ts"
import { languageOf } from "./languages.ts"

/** Detects a repository's licences by the texts at its root. */

/** The largest file that is compared, in bytes; the longest licence has half of that. */
const LONGEST_TEXT = 128 * 1024
/** The most files that are compared. */
const MOST_FILES = 10
/** The least similarity of two texts: years, names and line ends differ in every copy, but one sentence more or less can make another licence. */
const ALIKE = 0.9

const FILE_NAME = /^((un)?licen[cs]e|copying)([-_.][\w.-]*)?$/i

/** The licence files at a root. */
export const licenseFiles = (root: readonly TreeEntry[]): readonly TreeEntry[] =>
  root.filter(({ mode, name }) => mode === "100644" && FILE_NAME.test(name) && languageOf(name) === undefined).slice(0, MOST_FILES)

/** The SPDX names of the licences in these files; of several names for one text, those already known. */
export async function readLicenses(
  git: Git,
  repository: Repository,
  files: readonly TreeEntry[],
  known: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0) return []
  const usual = await texts()
  // A less common name chosen when the repository was created is kept.
  const rarer = await readTexts(known.filter((name) => !usual.some((text) => text.name === name)))
  const found: string[] = []
  for (const { id } of files) {
    const name = detectLicense(await textOf(git, repository, id), [...usual, ...rarer], known)
    if (name !== undefined && !found.includes(name)) found.push(name)
  }
  return found
}

async function textOf(git: Git, repository: Repository, id: ObjectId): Promise<string> {
  const info = await git.objects.info(repository, id)
  if (info?.type !== "blob" || info.size > LONGEST_TEXT) return ""
  return (await git.objects.readBlob(repository, id)).toString("utf8")
}

/** A licence's text prepared for comparison. */
interface Known {
  readonly name: string
  readonly pairs: Uint32Array
}

/** The licence whose text this is, or undefined. */
export function detectLicense(text: string, licenses: readonly Known[], known: readonly string[]): string | undefined {
  const named = /^.{0,20}SPDX-License-Identifier:\s*([\w.+-]+)\s*$/m.exec(text.slice(0, 500))?.[1]
  if (named !== undefined && Object.hasOwn(onDemand("spdx-license-list"), named)) return named
  const pairs = pairsOf(text)
  if (pairs.length === 0) return undefined
  let best: { readonly name: string; readonly likeness: number } | undefined
  for (const license of licenses) {
    const likeness = likenessOf(pairs, license.pairs)
    if (likeness < ALIKE) continue
    if (!best || likeness > best.likeness || (likeness === best.likeness && known.includes(license.name)))
      best = { name: license.name, likeness }
  }
  return best?.name
}

/** Common licences that are not OSI-approved or not for software only. */
const OTHERS = ["CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "OFL-1.1", "WTFPL"]

let read: Promise<readonly Known[]> | undefined

/** The texts to compare with, read at first use: takes a moment, and keeps a megabyte in memory. */
function texts(): Promise<readonly Known[]> {
  read ??= readTexts(usualNames())
  return read
}

function usualNames(): readonly string[] {
  const spdx = onDemand("spdx-license-list")
  return Object.entries(spdx).flatMap(([name, { osiApproved }]) => {
    // Deprecated names of licences now called -only and -or-later.
    const isOld = name.endsWith("+") || Object.hasOwn(spdx, `${name}-only`)
    return !isOld && (osiApproved || OTHERS.includes(name)) ? [name] : []
  })
}

async function readTexts(names: readonly string[]): Promise<readonly Known[]> {
  const known: Known[] = []
  for (const name of names.toSorted()) known.push({ name, pairs: pairsOf((await licenseText(name)) ?? "") })
  return known
}

/** The pairs of adjacent words of a text as numbers, each once and in order. Copyright lines are left out. */
function pairsOf(text: string): Uint32Array {
  const words = text
    .replaceAll(/^\W*(copyright|\(c\)|©|all rights reserved).*$/gim, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  if (!words) return new Uint32Array()
  const pairs = new Set<number>()
  for (let at = 1; at < words.length; at++) pairs.add(numberOf(`${words[at - 1]} ${words[at]}`))
  return Uint32Array.from(pairs).sort()
}

/** FNV-1a over the text's code units; a rare collision is harmless among thousands of pairs. */
function numberOf(text: string): number {
  let number = 0x811c9dc5
  for (let at = 0; at < text.length; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193)
  return number >>> 0
}

/** The Sørensen–Dice similarity, from 0 for nothing in common to 1 for equal sets. */
function likenessOf(a: Uint32Array, b: Uint32Array): number {
  let [i, j, common] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [x = 0, y = 0] = [a[i], b[j]]
    if (x === y) common++
    if (x <= y) i++
    if (y <= x) j++
  }
  return (2 * common) / (a.length + b.length)
}
