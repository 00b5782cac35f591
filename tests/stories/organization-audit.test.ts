import { expect } from "vitest"
import { openReceiver } from "../../src/features/events/webhooks/testing.ts"
import { databaseKinds, statementsOf } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import type { Answer } from "../support/hearth.ts"

/** What the log looks up: where a repository is by now, names, and which accounts are organisations. */
const LOOKS = [
  /^select "repositories"."id", "repositories"."name", "repositories"."owner_id", "users"."kind" /,
  /^select "id", "name" from "users" /,
  /^select "id" from "users" .*"kind" = /,
]

/** The owners of an organisation read who did what in it; nobody else does; and a webhook gets each entry. */
withHearth(
  "the audit log of an organization",
  { on: databaseKinds, people: ["olga", "max", "sam"], config: { outgoing: { allowedHosts: "loopback" } } },
  ({ test, forge, olga, max, sam, settle }) => {
    const must = async (who: string, route: string, body?: object): Promise<Answer["body"]> => {
      const answer = await forge.call(who, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const ORG = "/orgs/crew"

    test("says who did what, from where, and how they had signed in", async () => {
      await must(olga, "POST /orgs", { username: "crew" })
      const team = await must(olga, `POST ${ORG}/teams`, { name: "deck", permission: "write", units: ["repo.code"] })
      await must(olga, `PUT /teams/${team.id}/members/max`)
      await must(olga, `POST ${ORG}/repos`, { name: "boat", private: true, auto_init: true })
      const at = "/repos/crew/boat"
      await must(olga, `PUT ${at}/collaborators/sam`, { permission: "read" })
      await must(olga, `PATCH ${at}`, { private: false })
      await must(olga, `POST ${at}/branch_protections`, { rule_name: "main" })
      await must(olga, `PUT ${at}/actions/secrets/KEY`, { data: "very-secret" })
      await must(olga, `POST ${at}/hooks`, {
        type: "gitea",
        config: { url: "http://example.com/?token=very-secret", content_type: "json", secret: "very-secret" },
      })
      const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBx1Vf7kZ3YQv0uNqkY4l2sD8s1m9o0pQ2rS3tU4vW5x"
      await must(olga, `POST ${at}/keys`, { title: "server", key, read_only: true })
      await must(olga, `PATCH ${ORG}`, { description: "We sail." })
      await must(olga, `DELETE /teams/${team.id}/members/max`)
      await must(olga, `POST ${at}/transfer`, { new_owner: "olga" })
      const entries: readonly Answer["body"][] = await must(olga, `GET ${ORG}/audit?limit=50`)
      const told = entries
        .toReversed()
        .map(({ kind, repository, subject }) => [kind, repository?.name ?? "", subject].filter((word) => word !== "").join(" "))
      expect(told).toEqual([
        "organization.created olga",
        "team.created deck",
        "team.memberAdded deck: max",
        "repository.created boat",
        "collaborator.added boat sam",
        "repository.madePublic boat",
        "protection.changed boat main",
        "secret.created boat KEY",
        expect.stringMatching(/^webhook\.created boat #\d+$/),
        "deployKey.added boat server",
        "organization.edited",
        "team.memberRemoved deck: max",
        "organization.membersRemoved max",
        "repository.transferred boat",
      ])
      const unknown = entries.filter(
        ({ actor, ip, credential }) => actor?.login !== "olga" || ip !== "127.0.0.1" || credential !== "password",
      )
      expect(unknown).toEqual([])
      expect(JSON.stringify(entries)).not.toContain("very-secret")
      expect(entries.find(({ kind }) => kind === "organization.edited")?.details).toEqual({ changed: ["description"] })
    })

    test("is found by filters, exported by position, and told to a webhook of the organization", async () => {
      expect((await must(olga, `GET ${ORG}/audit?kind=team`)).map(({ kind }: Answer["body"]) => kind)).toEqual([
        "team.memberRemoved",
        "team.memberAdded",
        "team.created",
      ])
      expect(await must(olga, `GET ${ORG}/audit?actor=max`)).toEqual([])
      expect(await must(olga, `GET ${ORG}/audit?kind=secret.created&repository=boat`)).toHaveLength(1)
      const lines = async (query: string): Promise<readonly Answer["body"][]> => {
        const text = (await must(olga, `GET ${ORG}/audit/export?${query}`)) ?? ""
        return text === ""
          ? []
          : text
              .trimEnd()
              .split("\n")
              .map((line: string) => JSON.parse(line))
      }
      const read: Answer["body"][] = []
      for (let after = 0; ; after = read.at(-1).id) {
        const some = await lines(`after=${after}&most=5`)
        if (some.length === 0) break
        read.push(...some)
      }
      expect(read).toEqual((await must(olga, `GET ${ORG}/audit?limit=50`)).toReversed())

      const receiver = await openReceiver()
      const config = { url: `${receiver.url}/audit`, content_type: "json" }
      await must(olga, `POST ${ORG}/hooks`, { type: "gitea", active: true, events: ["audit"], config })
      await must(olga, `POST ${ORG}/repos`, { name: "raft" })
      await settle()
      const last = (await must(olga, `GET ${ORG}/audit?limit=1`))[0]
      const delivered = receiver.received.map(({ headers, body }) => [headers["x-gitea-event"], body])
      expect(delivered).toContainEqual(["audit", expect.objectContaining({ action: "recorded", entry: last })])
      await receiver.close()
      // A repository's webhook can't listen to it.
      expect((await forge.call(olga, "POST /repos/crew/raft/hooks", { type: "gitea", events: ["audit"], config })).status).toBe(422)
    })

    test("costs nothing where a repository is a person's, and no look at those whom the event names", async () => {
      const looksOf = async (route: string, body: object) =>
        (await statementsOf(forge.hearth.services.database, () => must(olga, route, body))).filter(({ sql }) =>
          LOOKS.some((look) => look.test(sql)),
        ).length
      expect(await looksOf("POST /user/repos", { name: "mine" })).toBe(0)
      expect(await looksOf(`POST ${ORG}/teams`, { name: "watch", permission: "read", units: ["repo.code"] })).toBe(0)
      // Whose a repository is by now.
      expect(await looksOf(`POST ${ORG}/repos`, { name: "buoy" })).toBe(1)
    })

    test("is for owners alone", async () => {
      const team = await must(olga, `POST ${ORG}/teams`, { name: "crewmen", permission: "admin", units: ["repo.code"] })
      await must(olga, `PUT /teams/${team.id}/members/max`)
      for (const path of ["audit", "audit/export"]) {
        expect((await forge.call(max, `GET ${ORG}/${path}`)).status).toBe(403)
        expect((await forge.call(sam, `GET ${ORG}/${path}`)).status).toBe(403)
        expect((await forge.call(undefined, `GET ${ORG}/${path}`)).status).toBe(401)
      }
    })
  },
)
