/** Content that is costly to serve. */
import { randomBytes } from "node:crypto"
import type { Caller, TestHearth } from "../support/hearth.ts"

export const MIB = 1024 * 1024

/** Text that compresses badly, in lines. */
export const noisyText = (bytes: number): string =>
  randomBytes(Math.ceil(bytes / 2))
    .toString("hex")
    .replace(/.{64}/g, "$&\n")
    .slice(0, bytes)

/** Creates a file by a commit on the default branch and gives the commit's id. */
export async function commitFile(
  call: TestHearth["call"],
  caller: Caller,
  repository: string,
  path: string,
  content: Buffer | string,
  sha?: string,
): Promise<{ readonly commit: string; readonly blob: string }> {
  const body = { content: Buffer.from(content).toString("base64"), message: path, ...(sha === undefined ? {} : { sha }) }
  const answer = await call(caller, `${sha === undefined ? "POST" : "PUT"} /repos/${repository}/contents/${path}`, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return { commit: answer.body.commit.sha, blob: answer.body.content.sha }
}
