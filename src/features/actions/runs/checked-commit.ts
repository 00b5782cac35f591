import type { Commit } from "../../../git/index.ts"

/** The commit that a run's statuses belong to, as stored with the run. */

/** The maximum length of a stored message, in characters. */
const LONGEST_MESSAGE = 65_536

interface StoredCommit extends Omit<Commit, "signature"> {
  /** The signed payload, in base64. */
  readonly signature: { readonly text: string; readonly payload: string } | null
}

export function writeCommit({ id, tree, parents, author, committer, message, signature }: Commit): string {
  const signed = signature ? { text: signature.text, payload: signature.payload.toString("base64") } : null
  const stored: StoredCommit = { id, tree, parents, author, committer, message: message.slice(0, LONGEST_MESSAGE), signature: signed }
  return JSON.stringify(stored)
}

/** Reads a commit that `writeCommit` wrote. */
export function readCommit(text: string): Commit {
  const { signature, ...rest }: StoredCommit = JSON.parse(text)
  return { ...rest, signature: signature ? { text: signature.text, payload: Buffer.from(signature.payload, "base64") } : undefined }
}
