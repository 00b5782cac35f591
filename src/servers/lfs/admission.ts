import type { FastifyRequest } from "fastify"
import type { OnRepository } from "../../access/policies/repositories.ts"
import type { Actor, SignedIn } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { bearerOfPass, isPassText, type LfsOperation, type Pass, readPass } from "../../features/code/lfs/passes.ts"
import { admitFetch, admitPush } from "../../features/code/pushes/admission.ts"
import { type Address, follow } from "../../features/code/pushes/follow.ts"
import { readAuthorization } from "../../features/people/sign-in/credentials/credentials.ts"
import { hiddenFrom } from "../git-http/answer.ts"
import { addressOf } from "../git-http/request.ts"
import { callerPresenting } from "../routing/callers.ts"

/** Permission to download and upload large files: that of fetching and pushing, checked at every request as git over HTTP checks it. */

export type Names = { readonly Params: { readonly owner: string; readonly repo: string } }

interface Caller {
  readonly actor: Actor
  /** The pass that authenticated the caller, if it was one. */
  readonly pass: Pass | undefined
}

export interface LfsAccess {
  /** Requires that the caller may read. Refuses like `admitFetch`; a hidden repository and a missing one look the same. */
  readonly forDownload: (request: FastifyRequest<Names>) => Promise<OnRepository & { readonly actor: Actor }>
  /** Requires that the caller may write. Refuses like `admitPush`. */
  readonly forUpload: (request: FastifyRequest<Names>) => Promise<OnRepository & { readonly actor: SignedIn }>
}

export function openLfsAccess(services: Services): LfsAccess {
  async function callerOf(request: FastifyRequest<Names>, address: Address): Promise<Caller> {
    const presented = readAuthorization(request.headers.authorization)
    if (presented.kind === "token" && isPassText(presented.token)) {
      const pass = readPass(services, presented.token)
      return { pass, actor: await bearerOfPass(services, pass, address) }
    }
    // A second factor can't be asked for: its codes work once, and a client makes many requests.
    return { pass: undefined, actor: await callerPresenting(services, request, presented) }
  }

  /** A pass is valid for one operation on one repository only. */
  function requireFittingPass(pass: Pass | undefined, operation: LfsOperation, { repository }: OnRepository): void {
    if (!pass) return
    if (pass.repositoryId !== repository.id) throw refuse.forbidden("this pass is for another repository")
    if (operation === "upload" && pass.operation !== "upload") throw refuse.forbidden("this pass is for downloads only")
  }

  return {
    forDownload: async (request) => {
      const address = addressOf(request.params)
      const { actor, pass } = await callerOf(request, address)
      const found = await follow(address, ({ owner, name }) => admitFetch(services, actor, owner, name)).catch((error: unknown) => {
        throw hiddenFrom(actor, error)
      })
      requireFittingPass(pass, "download", found)
      return { ...found, actor }
    },
    forUpload: async (request) => {
      const address = addressOf(request.params)
      const { actor, pass } = await callerOf(request, address)
      const found = await follow(address, ({ owner, name }) => admitPush(services, actor, owner, name)).catch((error: unknown) => {
        throw hiddenFrom(actor, error)
      })
      requireFittingPass(pass, "upload", found)
      return { ...found, actor: found.pusher }
    },
  }
}
