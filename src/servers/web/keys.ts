import type { FastifyInstance, FastifyReply } from "fastify"
import { locateUser, userVisible } from "../../access/policies/people.ts"
import { anonymous, type User } from "../../core/actor.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { armorCertificates } from "../../features/people/keys/openpgp.ts"
import { findCertificates, findPublicKeyLines } from "../../features/people/keys/store.ts"
import { leadTo } from "../routing/redirect.ts"

/** A user's public keys as text, `/{user}.keys` and `/{user}.gpg`: for machines that grant access or verify signatures by them. */
export function registerKeys(app: FastifyInstance, services: Services): void {
  const { database, config } = services

  for (const kind of ["keys", "gpg"] as const)
    app.get<{ readonly Params: { readonly username: string } }>(`/:username.${kind}`, (request, reply) =>
      send(reply, request.params.username, kind),
    )

  async function send(reply: FastifyReply, name: string, kind: "keys" | "gpg"): Promise<FastifyReply> {
    if (config.security.requireSignIn) throw refuse.notFound()
    try {
      const user = await locateUser(database.read, anonymous, name, "username")
      if (user.kind !== "person" || !(await userVisible(database.read, anonymous, user))) throw refuse.notFound()
      return sendText(reply, await (kind === "keys" ? lines(user) : armored(user)))
    } catch (error) {
      if (!(error instanceof Renamed)) throw error
      return leadTo(reply, `/${encodeURIComponent(error.replace["username"] ?? name)}.${kind}`, error.status)
    }
  }

  const lines = async ({ id }: User): Promise<string> =>
    (await findPublicKeyLines(database.read, { ownerId: id })).map(({ content }) => `${content}\n`).join("")

  const armored = async ({ id }: User): Promise<string> =>
    armorCertificates((await findCertificates(database.read, { ownerId: id })).map(({ certificate }) => certificate))
}

const sendText = (reply: FastifyReply, text: string): FastifyReply => reply.type("text/plain; charset=utf-8").send(text)
