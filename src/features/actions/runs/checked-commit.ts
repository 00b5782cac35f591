import type { Commit } from "../../../git/index.ts"

/** The commit that a run's statuses are of, as it is kept with the run. */

/** Characters of a message that are kept. */
const LONGEST_MESSAGE = 65_536

interface Kept extends Omit<Commit, "signature"> {
  /** What was signed, in base64. */
  readonly signature: { readonly text: string; readonly payload: string } | null
}

export function writeCommit({ id, tree, parents, author, committer, message, signature }: Commit): string {
  const signed = signature ? { text: signature.text, payload: signature.payload.toString("base64") } : null
  const kept: Kept = { id, tree, parents, author, committer, message: message.slice(0, LONGEST_MESSAGE), signature: signed }
  return JSON.stringify(kept)
}

/** The commit of a text that `writeCommit` gave. */
export function readCommit(text: string): Commit {
  const { signature, ...rest }: Kept = JSON.parse(text)
  return { ...rest, signature: signature ? { text: signature.text, payload: Buffer.from(signature.payload, "base64") } : undefined }
}
