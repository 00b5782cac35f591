import { randomUUID } from "node:crypto"
import type { Selectable } from "kysely"
import type { User } from "../../../core/actor.ts"
import type { Config } from "../../../core/config.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import type { OAuth2ApplicationsTable } from "../../../core/database/tables/oauth2.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { CreateOAuth2ApplicationOptions } from "./records.ts"
import { requireRedirects } from "./redirects.ts"
import { deleteApplicationOf, insertApplication, updateApplication } from "./store.ts"
import { digestOf, newText } from "./texts.ts"

export type Application = Selectable<OAuth2ApplicationsTable>

/** An application with its secret, which is returned only here and stored nowhere. */
export interface WithSecret {
  readonly application: Application
  readonly secret: string
}

interface By {
  readonly owner: Pick<User, "id">
  readonly now: number
  readonly config: Pick<Config, "oauth2">
}

const columns = (options: CreateOAuth2ApplicationOptions, { now, config }: By) => {
  requireRedirects(options.redirect_uris, config.oauth2.customSchemes)
  if (options.device_flow && options.confidential_client)
    throw refuse.invalid("device_flow", "is for applications that people install: confidential_client must be false")
  return {
    name: options.name,
    redirect_uris: JSON.stringify(options.redirect_uris),
    is_confidential: flag(options.confidential_client ?? false),
    skips_consent: flag(options.skip_secondary_authorization ?? false),
    allows_device: flag(options.device_flow ?? false),
    updated_at: now,
  }
}

/** Refuses as `requireRedirects` does, and `invalid` a confidential client that asks by codes of devices. */
export async function createApplication(tx: Transaction, options: CreateOAuth2ApplicationOptions, by: By): Promise<WithSecret> {
  const secret = newText("secret")
  const application = await insertApplication(tx, {
    ...columns(options, by),
    secret_digest: digestOf(secret),
    owner_id: by.owner.id,
    client_id: randomUUID(),
    created_at: by.now,
  })
  publish(tx, { kind: "application.created", application, user: by.owner, actor: by.owner, at: by.now })
  return { application, secret }
}

/**
 * Replaces everything; with a new secret, the old one is void at once. Tokens that were given stay good.
 * Refuses as `requireRedirects` does, and `notFound` for an application that `by.owner` doesn't have.
 */
export async function replaceApplication(
  tx: Transaction,
  id: number,
  { options, secret }: { readonly options: CreateOAuth2ApplicationOptions; readonly secret: string | undefined },
  by: By,
): Promise<Application> {
  const application = await updateApplication(tx, {
    changes: { ...columns(options, by), ...(secret !== undefined && { secret_digest: digestOf(secret) }) },
    id,
    ownerId: by.owner.id,
  })
  if (!application) throw refuse.notFound()
  publish(tx, { kind: "application.edited", application, user: by.owner, actor: by.owner, at: by.now })
  return application
}

/** Deletes an application with all that was granted to it; its tokens are void at once. Refuses `notFound` for one that `owner` doesn't have. */
export async function deleteApplication(tx: Transaction, id: number, owner: Pick<User, "id">): Promise<void> {
  await deleteApplicationOf(tx, { id, ownerId: owner.id })
  publish(tx, { kind: "application.deleted", application: { id }, user: owner, actor: owner })
}

/** The addresses at which it receives its codes. */
export function redirectsOf({ redirect_uris }: Pick<Application, "redirect_uris">): readonly string[] {
  const parsed: unknown = JSON.parse(redirect_uris)
  return Array.isArray(parsed) ? parsed.filter((each) => typeof each === "string") : []
}
