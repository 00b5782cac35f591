import { readFile } from "node:fs/promises"
import { ifMissing } from "../files.ts"
import { makePrivateFile } from "../private-file.ts"

/** Keys that a restore brings. */

/** Why a key can't be put into a file, or used in the place of one that settings have; undefined where it can. */
export async function findKeyFault(setting: string, file: string, key: string): Promise<string | undefined> {
  if (key === "") return undefined
  if (setting !== "") return isSameKey(setting, key) ? undefined : "security.secretKey is another key than that of the backup."
  const there = await readFile(file, "utf8").catch(ifMissing(undefined))
  return there === undefined || isSameKey(there, key) ? undefined : `${file} is another key than that of the backup.`
}

/** The same bytes may be written in hex or in base64. */
const isSameKey = (one: string, other: string): boolean => bytesOf(one).equals(bytesOf(other))
const bytesOf = (text: string): Buffer => Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? "hex" : "base64url")

/** Writes a key for its owner alone, unless there is one. */
export async function putKeyFile(file: string, text: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(ifMissing(undefined))) === undefined) await makePrivateFile(file, `${text.trim()}\n`)
}
