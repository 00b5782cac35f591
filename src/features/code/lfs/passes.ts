import { timingSafeEqual } from "node:crypto"
import type { Repository } from "../../../access/permission.ts"
import { findUserById } from "../../../access/store.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import Type, { Check, type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findDeployKeyUser, findKeyOwner } from "../../people/keys/sign-in.ts"
import { findPublicKey } from "../../people/keys/store.ts"
import { applicationCredential } from "../../people/sign-in/authenticate.ts"
import { stillBearerOfIssued } from "../../people/sign-in/credentials/issued-tokens.ts"
import { findApplicationTokenById, findTokenById } from "../../people/sign-in/credentials/store.ts"
import { tokenCredential } from "../../people/sign-in/credentials/token-credential.ts"
import type { Address } from "../pushes/follow.ts"

/**
 * Passes: short-lived signed tokens that represent credentials verified earlier, for one repository and one operation. A client signed in over SSH
 * gets one for HTTP, and every transfer of a batch carries one instead of a password. A pass grants no rights of its own: its user is looked up
 * again, and permissions are checked again, at every use.
 */

/** The operation that a pass allows. A pass for uploads also allows downloads. */
export type LfsOperation = "upload" | "download"

/** Lifetime of a pass in seconds. */
export const PASS_SECONDS = 3600

const PREFIX = "lfs."

const Pass = Type.Object({
  operation: Type.Union([Type.Literal("upload"), Type.Literal("download")]),
  repositoryId: Type.Integer(),
  /** Seconds since 1970. */
  until: Type.Integer(),
  by: Type.Union([
    Type.Object({ kind: Type.Literal("password"), userId: Type.Integer(), version: Type.Integer() }),
    Type.Object({ kind: Type.Literal("token"), tokenId: Type.Integer() }),
    Type.Object({ kind: Type.Literal("application"), tokenId: Type.Integer() }),
    Type.Object({ kind: Type.Literal("key"), keyId: Type.Integer() }),
    Type.Object({ kind: Type.Literal("job"), taskId: Type.Integer() }),
  ]),
})

/** A verified pass that has not expired. */
export type Pass = Static<typeof Pass>

const sign = ({ secrets }: Pick<Services, "secrets">, text: string): string => secrets.mac("lfs pass", text)

/** Issues a pass for an authenticated user. */
export function writePass(
  services: Pick<Services, "secrets" | "now">,
  actor: SignedIn,
  { id: repositoryId }: Pick<Repository, "id">,
  operation: LfsOperation,
): string {
  const pass: Pass = { operation, repositoryId, until: services.now() + PASS_SECONDS, by: bearerFor(actor) }
  const text = Buffer.from(JSON.stringify(pass)).toString("base64url")
  return `${PREFIX}${text}.${sign(services, text)}`
}

function bearerFor({ user, credential }: SignedIn): Pass["by"] {
  switch (credential.kind) {
    case "password":
      return { kind: "password", userId: user.id, version: user.credentials_version }
    case "token":
      return { kind: credential.applicationId === undefined ? "token" : "application", tokenId: credential.tokenId }
    case "publicKey":
    case "deployKey":
      return { kind: "key", keyId: credential.keyId }
    case "job":
      return { kind: "job", taskId: credential.taskId }
  }
}

export const isPassText = (text: string): boolean => text.startsWith(PREFIX)

/** Verifies a pass. Refuses `badCredentials` for one that is forged, altered or expired. */
export function readPass(services: Pick<Services, "secrets" | "now">, given: string): Pass {
  const [text = "", signature = "", ...more] = given.slice(PREFIX.length).split(".")
  const [made, shown] = [Buffer.from(sign(services, text)), Buffer.from(signature)]
  if (more.length > 0 || made.length !== shown.length || !timingSafeEqual(made, shown)) throw refuse.badCredentials()
  const pass: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
  if (!Check(Pass, pass) || pass.until <= services.now()) throw refuse.badCredentials()
  return pass
}

/**
 * The user that the pass was issued for, as they are now. Refuses `badCredentials` if the password, token or key used then is no longer
 * valid.
 */
export async function bearerOfPass(services: Services, { by }: Pass, { owner, name }: Address): Promise<SignedIn> {
  const { config, database, now } = services
  const db = database.read
  switch (by.kind) {
    case "password": {
      const user = await findUserById.first(db, { id: by.userId })
      if (!user || user.credentials_version !== by.version) throw refuse.badCredentials()
      return { kind: "user", user, credential: { kind: "password" }, basic: false }
    }
    case "token": {
      const token = await findTokenById.first(db, { id: by.tokenId })
      const user = token && (await findUserById.first(db, { id: token.user_id }))
      const credential = token && (await tokenCredential(db, token, now()))
      if (!user || !credential) throw refuse.badCredentials()
      return { kind: "user", user, credential, basic: false }
    }
    case "application": {
      const row = config.oauth2.enabled ? await findApplicationTokenById.first(db, { id: by.tokenId, now: now() }) : undefined
      if (!row) throw refuse.badCredentials()
      const { token_scopes, application_id, ...user } = row
      return { kind: "user", user, credential: applicationCredential(by.tokenId, application_id, token_scopes), basic: false }
    }
    case "key": {
      const key = await findPublicKey.first(db, { id: by.keyId })
      const actor = key && ((await findKeyOwner(db, key)) ?? (await findDeployKeyUser(db, key, owner, name)))
      if (!actor) throw refuse.badCredentials()
      return actor
    }
    case "job": {
      const actor = await stillBearerOfIssued(services, by)
      if (!actor) throw refuse.badCredentials()
      return actor
    }
  }
}
