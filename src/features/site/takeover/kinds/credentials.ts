import { isScope, normalizeScopes } from "../../../../access/scopes.ts"
import type { Owning } from "../../../../core/owner-scope.ts"
import { secretSeal } from "../../../actions/settings/rules.ts"
import { twoFactorContext } from "../../../people/sign-in/second-factor/two-factor.ts"
import { type Kind, leftOut, put, rows, sealed } from "../mapping/kind.ts"
import type { World } from "../mapping/world.ts"
import { bytes, json, moment, number, onOff, type SourceRow, text, texts } from "../source/row.ts"

const GONE = "the account is gone"
const LOCKED = "it was sealed with another key, or in a way that is not read"

/** The scopes of a token as they are written here. */
export const scopesOf = (written: string): string =>
  normalizeScopes(
    written
      .split(",")
      .map((scope) => scope.trim())
      .filter(isScope),
  ).join(",")

/** The digest of a token whose text nobody has here: of none. */
export const formerDigest = (id: number): string => `former ${id}`

const tokens: Kind = {
  name: "access tokens",
  from: "access_token",
  into: "access_tokens",
  map(row, world) {
    const [id, userId] = [number(row, "id"), number(row, "uid")]
    if (!world.has("users", userId)) return leftOut(GONE)
    const [hash, salt, lookup] = [text(row, "token_hash"), text(row, "token_salt"), text(row, "token_last_eight")]
    const updated = moment(row, "updated_unix")
    return rows(
      put("access_tokens", {
        id,
        user_id: userId,
        name: text(row, "name"),
        digest: formerDigest(id),
        last_eight: lookup,
        scopes: scopesOf(text(row, "scope")),
        created_at: moment(row, "created_unix"),
        last_used_at: updated > moment(row, "created_unix") ? updated : 0,
      }),
      put("former_hashes", { kind: "access token", subject_id: id, lookup, salt, hash }),
    )
  },
}

const twoFactors: Kind = {
  name: "second factors",
  from: "two_factor",
  key: "x.uid",
  into: "two_factors",
  map(row, world) {
    const id = number(row, "uid")
    if (!world.has("users", id)) return leftOut(GONE)
    const secret = world.old.totp(text(row, "secret"))
    if (secret === undefined) return leftOut(`${LOCKED}: the account has no second factor now`)
    const [hash, salt] = [text(row, "scratch_hash"), text(row, "scratch_salt")]
    return rows(
      put("two_factors", {
        user_id: id,
        sealed_secret: sealed(secret, twoFactorContext({ id })),
        last_step: 0,
        created_at: moment(row, "created_unix"),
      }),
      ...(hash === "" ? [] : [put("former_hashes", { kind: "recovery code", subject_id: id, lookup: "", salt, hash })]),
    )
  },
}

const passkeys: Kind = {
  name: "passkeys",
  from: "webauthn_credential",
  into: "passkeys",
  map(row, world) {
    const userId = number(row, "user_id")
    if (!world.has("users", userId)) return leftOut(GONE)
    return rows(
      put("passkeys", {
        id: number(row, "id"),
        user_id: userId,
        name: text(row, "name"),
        credential_id: bytes(row, "credential_id").toString("base64url"),
        public_key: bytes(row, "public_key").toString("base64url"),
        counter: number(row, "sign_count"),
        transports: "",
        created_at: moment(row, "created_unix"),
        last_used_at: 0,
      }),
    )
  },
}

/** Types of SSH keys. */
const [OF_A_PERSON, DEPLOY] = [1, 2]

const publicKeys: Kind = {
  name: "SSH keys",
  from: "public_key",
  into: "public_keys",
  map(row, world) {
    const [type, ownerId] = [number(row, "type"), number(row, "owner_id")]
    if (type !== OF_A_PERSON && type !== DEPLOY) return leftOut("it is a principal of certificates, which are not known here")
    if (type === OF_A_PERSON && !world.has("users", ownerId)) return leftOut(GONE)
    const created = moment(row, "created_unix")
    const updated = moment(row, "updated_unix")
    return rows(
      put("public_keys", {
        id: number(row, "id"),
        owner_id: type === OF_A_PERSON ? ownerId : null,
        title: type === OF_A_PERSON ? text(row, "name") : "",
        fingerprint: text(row, "fingerprint"),
        content: text(row, "content"),
        is_read_only: 0,
        created_at: created,
        last_used_at: updated > created ? updated : 0,
      }),
    )
  },
}

const deployKeys: Kind = {
  name: "deploy keys",
  from: "deploy_key",
  into: "deploy_keys",
  map(row, world) {
    const [keyId, repositoryId] = [number(row, "key_id"), number(row, "repo_id")]
    if (!world.has("repositories", repositoryId)) return leftOut("the repository is gone")
    if (!world.has("public_keys", keyId)) return leftOut("the key itself is gone")
    return rows(
      put("deploy_keys", {
        id: number(row, "id"),
        key_id: keyId,
        repository_id: repositoryId,
        title: text(row, "name"),
        is_read_only: number(row, "mode") < 2 ? 1 : 0,
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

/** The bytes of an armored text, in base64. */
function dearmored(armored: string): string {
  const body =
    /-----BEGIN [^\n]+-----\r?\n(?:[^\n]*: [^\n]*\r?\n)*\s*([\s\S]*?)(?:\r?\n=[A-Za-z0-9+/]{4}\s*)?-----END/.exec(armored)?.[1] ?? ""
  return body.replaceAll(/\s/g, "")
}

const gpgKeys: Kind = {
  name: "GPG keys",
  from: "gpg_key",
  beside: [
    { table: "gpg_key_import", columns: "i.content as armored", join: "left join [gpg_key_import] i on i.key_id = x.key_id" },
    {
      table: "gpg_key",
      columns: "p.id as primary_id",
      join: "left join [gpg_key] p on p.key_id = x.primary_key_id and x.primary_key_id <> ''",
    },
  ],
  into: "gpg_keys",
  anew: { gpg_key_emails: "gpg_key_id" },
  map(row, world) {
    const [id, ownerId, primary] = [number(row, "id"), number(row, "owner_id"), text(row, "primary_key_id")]
    if (!world.has("users", ownerId)) return leftOut(GONE)
    const primaryId = primary === "" ? null : world.known("gpg_keys", number(row, "primary_id"))
    if (primary !== "" && primaryId === null) return leftOut("its primary key is gone")
    const certificate = primary === "" ? dearmored(text(row, "armored")) : ""
    if (primary === "" && certificate === "") return leftOut("the whole key is not stored there: add it again")
    const written = json(row, "emails")
    const addresses = Array.isArray(written) ? written.map((each: SourceRow) => text(each, "Email")).filter((email) => email !== "") : []
    return rows(
      put("gpg_keys", {
        id,
        owner_id: ownerId,
        primary_id: primaryId,
        key_id: text(row, "key_id"),
        certificate,
        signs: onOff(row, "can_sign"),
        can_sign: onOff(row, "can_sign"),
        can_encrypt: onOff(row, "can_encrypt_comms"),
        is_verified: onOff(row, "verified"),
        created_at: moment(row, "created_unix"),
        expires_at: moment(row, "expired_unix"),
      }),
      ...[...new Map(addresses.map((email) => [email.toLowerCase(), email]))].map(([lower, email]) =>
        put("gpg_key_emails", { gpg_key_id: id, email, lower_email: lower }),
      ),
    )
  },
}

const applications: Kind = {
  name: "OAuth2 applications",
  from: "oauth2_application",
  into: "oauth2_applications",
  map(row, world) {
    const ownerId = number(row, "uid")
    if (ownerId !== 0 && !world.has("users", ownerId)) return leftOut(GONE)
    return rows(
      put("oauth2_applications", {
        id: number(row, "id"),
        owner_id: ownerId === 0 ? null : ownerId,
        name: text(row, "name"),
        client_id: text(row, "client_id"),
        secret_digest: text(row, "client_secret"),
        redirect_uris: JSON.stringify(texts(row, "redirect_uris")),
        is_confidential: "confidential_client" in row ? onOff(row, "confidential_client") : 1,
        skips_consent: onOff(row, "skip_secondary_authorization"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix"),
      }),
    )
  },
}

const CLAIMS: readonly string[] = ["openid", "profile", "email", "groups"]

const grants: Kind = {
  name: "OAuth2 grants",
  from: "oauth2_grant",
  into: "oauth2_grants",
  map(row, world) {
    const [applicationId, userId] = [number(row, "application_id"), number(row, "user_id")]
    if (!world.has("users", userId)) return leftOut(GONE)
    if (!world.has("oauth2_applications", applicationId)) return leftOut("the application is gone")
    const words = text(row, "scope").split(" ")
    const access = normalizeScopes(words.filter(isScope))
    const scopes = [...CLAIMS.filter((claim) => words.includes(claim)), ...(access.length === 0 ? ["all"] : access)]
    return rows(
      put("oauth2_grants", {
        id: number(row, "id"),
        application_id: applicationId,
        user_id: userId,
        scopes: scopes.join(","),
        created_at: moment(row, "created_unix"),
        last_used_at: 0,
      }),
    )
  },
}

/** Whose a secret, a variable or a runner is; undefined where that is gone. */
export function owningOf(row: SourceRow, world: World): Owning | undefined {
  const [repositoryId, ownerId] = [number(row, "repo_id"), number(row, "owner_id")]
  if (repositoryId > 0) return world.has("repositories", repositoryId) ? { of: "repository", repositoryId } : undefined
  if (ownerId > 0) return world.has("users", ownerId) ? { of: "owner", ownerId } : undefined
  return { of: "site" }
}

/** The columns of it. */
export const ownedColumns = (owning: Owning) => ({
  repository_id: owning.of === "repository" ? owning.repositoryId : null,
  owner_id: owning.of === "owner" ? owning.ownerId : null,
})

export const OWNER_GONE = "what it belongs to is gone"

const secrets: Kind = {
  name: "secrets of actions",
  from: "secret",
  into: "action_secrets",
  map(row, world) {
    const owning = owningOf(row, world)
    if (!owning) return leftOut(OWNER_GONE)
    const name = text(row, "name").toUpperCase()
    const data = world.old.text(text(row, "data"))
    if (data === undefined) return leftOut(`${name}: ${LOCKED}: enter it again`)
    return rows(
      put("action_secrets", {
        id: number(row, "id"),
        ...ownedColumns(owning),
        name,
        sealed_data: sealed(data, secretSeal(owning, name)),
        description: text(row, "description"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "created_unix"),
      }),
    )
  },
}

const variables: Kind = {
  name: "variables of actions",
  from: "action_variable",
  into: "action_variables",
  map(row, world) {
    const owning = owningOf(row, world)
    if (!owning) return leftOut(OWNER_GONE)
    return rows(
      put("action_variables", {
        id: number(row, "id"),
        ...ownedColumns(owning),
        name: text(row, "name").toUpperCase(),
        data: text(row, "data"),
        description: text(row, "description"),
        created_at: moment(row, "created_unix"),
        updated_at: moment(row, "updated_unix") || moment(row, "created_unix"),
      }),
    )
  },
}

/** Of people alone: before the repositories. */
export const credentials: readonly Kind[] = [tokens, twoFactors, passkeys, publicKeys, gpgKeys, applications, grants]
/** Of repositories too: after them. */
export const credentialsOfRepositories: readonly Kind[] = [deployKeys, secrets, variables]
