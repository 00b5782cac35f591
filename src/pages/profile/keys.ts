import { onPublicPerson } from "../../access/policies/people.ts"
import type { User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { madeDownload } from "../../core/download.ts"
import { type File, file } from "../../core/file.ts"
import { armorCertificates } from "../../features/people/keys/openpgp.ts"
import { findCertificates, findPublicKeyLines } from "../../features/people/keys/store.ts"

const sshKeysOf = async (db: Handle, { id }: User): Promise<string> =>
  (await findPublicKeyLines(db, { ownerId: id })).map(({ content }) => `${content}\n`).join("")

const pgpKeysOf = async (db: Handle, { id }: User): Promise<string> =>
  armorCertificates((await findCertificates(db, { ownerId: id })).map(({ certificate }) => certificate))

/** A user's public keys as text, `/{user}.keys` and `/{user}.gpg`: for machines that grant access or verify signatures by them. */
export const keyFiles: readonly File[] = (
  [
    ["keys", sshKeysOf],
    ["gpg", pgpKeysOf],
  ] as const
).map(([form, keysOf]) =>
  file({
    id: `profile.${form}`,
    address: `GET /{username}.${form}`,
    access: onPublicPerson,
    answer: async ({ db, user }) => madeDownload("text/plain; charset=utf-8", await keysOf(db, user)),
  }),
)
