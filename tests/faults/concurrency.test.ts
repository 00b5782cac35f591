import { expect } from "vitest"
import { foldersOf, storagesOf } from "../support/content.ts"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { send } from "../support/http.ts"
import { openCheckedWorld, type Person, times } from "../support/world.ts"

const CLIENTS = 32
const NAMES = ["first", "second", "third"] as const

/**
 * Many people write to the same few things concurrently. No call fails, of several requests for one name exactly one succeeds, and counters
 * equal the rows: no star is counted twice, and none is lost.
 */
withWorld("writes at the same time", { open: openCheckedWorld, on: databaseKinds }, ({ test: it, world }) => {
  let people: readonly Person[]
  const answers: { readonly route: string; readonly status: number }[] = []

  it.beforeAll(async () => {
    people = await times(CLIENTS, () => world.person())
  })
  const ask = async (who: Person, route: string, body?: object): Promise<number> => {
    const [method = "", path = ""] = route.split(" ")
    const { status } = await send(world.hearth.url, method, path, { authorization: who.authorization, body })
    answers.push({ route, status })
    return status
  }
  const statusesOf = (route: string) => answers.filter((answer) => answer.route === route).map(({ status }) => status)

  it("leave everything whole", async () => {
    const organization = await world.organization(await world.person())
    const everything = await world.team(organization, {
      includes_all_repositories: true,
      can_create_org_repo: true,
      units_map: { "repo.code": "write" },
    })
    const extra = await world.team(organization)
    const { owner, repo, id: repositoryId } = await world.repository(organization)
    const idol = await world.person()
    for (const { name } of people) await world.must(organization.owner, `PUT /teams/${everything.id}/members/${name}`)

    await Promise.all(
      people.map(async (person, index) => {
        // Each begins with another kind of write, so that all kinds run concurrently.
        const work: (() => Promise<unknown>)[] = [
          async () => {
            for (const name of NAMES) await ask(person, `POST /orgs/${organization.name}/repos`, { name })
          },
          async () => {
            for (let round = 0; round < 3; round++) {
              await ask(person, `PUT /user/starred/${owner}/${repo}`)
              if (round < 2 || index % 2 === 1) await ask(person, `DELETE /user/starred/${owner}/${repo}`)
            }
          },
          async () => {
            await ask(person, `PUT /user/following/${idol.name}`)
            if (index % 4 === 0) await ask(person, `DELETE /user/following/${idol.name}`)
          },
          async () => {
            const member = people[(index + 1) % CLIENTS] ?? person
            await ask(organization.owner, `PUT /teams/${extra.id}/members/${member.name}`)
            if (index % 2 === 0) await ask(organization.owner, `DELETE /teams/${extra.id}/members/${member.name}`)
          },
          () => ask(person, `PUT /repos/${owner}/${repo}/subscription`),
          () => ask(organization.owner, `PUT /repos/${owner}/${repo}/topics`, { topics: [`topic-${index % 3}`, "shared"] }),
          () => ask(person, "POST /orgs", { username: "contested" }),
        ]
        for (let step = 0; step < work.length; step++) await work[(step + index) % work.length]?.()
      }),
    )

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(world.check.mismatches()).toEqual([])

    const made = statusesOf(`POST /orgs/${organization.name}/repos`)
    expect(made.filter((status) => status === 201).length).toBe(NAMES.length)
    expect(new Set(made)).toEqual(new Set([201, 409]))
    const named = statusesOf("POST /orgs")
    expect(named.filter((status) => status === 201).length).toBe(1)
    expect(new Set(named)).toEqual(new Set([201, 422]))

    const { database } = world.hearth.services
    const users = await database.read.selectFrom("users").selectAll().execute()
    const repositories = await database.read.selectFrom("repositories").selectAll().execute()
    const stars = await database.read.selectFrom("stars").selectAll().execute()
    const watches = await database.read.selectFrom("watches").selectAll().where("mode", "!=", "declined").execute()
    const follows = await database.read.selectFrom("follows").selectAll().execute()
    const topics = await database.read.selectFrom("topics").selectAll().execute()
    const bearing = await database.read.selectFrom("repository_topics").selectAll().execute()
    const granted = await database.read.selectFrom("team_repositories").selectAll().where("team_id", "=", everything.id).execute()
    const members = await database.read.selectFrom("team_members").select("user_id").where("team_id", "=", extra.id).execute()

    expect(stars.length).toBe(CLIENTS / 2)
    expect(follows.length).toBe((CLIENTS * 3) / 4)
    expect(members.length).toBe(CLIENTS / 2)
    expect(watches.filter((row) => row.repository_id === repositoryId).length).toBe(CLIENTS + 1)
    expect(granted.length).toBe(NAMES.length + 1)
    for (const row of repositories) {
      expect([row.name, row.stars_count]).toEqual([row.name, stars.filter((star) => star.repository_id === row.id).length])
      expect([row.name, row.watchers_count]).toEqual([row.name, watches.filter((watch) => watch.repository_id === row.id).length])
    }
    for (const user of users) {
      expect([user.name, user.repositories_count]).toEqual([user.name, repositories.filter((row) => row.owner_id === user.id).length])
      expect([user.name, user.stars_count]).toEqual([user.name, stars.filter((star) => star.user_id === user.id).length])
      expect([user.name, user.followers_count]).toEqual([user.name, follows.filter((follow) => follow.followed_id === user.id).length])
      expect([user.name, user.following_count]).toEqual([user.name, follows.filter((follow) => follow.follower_id === user.id).length])
    }
    for (const topic of topics)
      expect([topic.name, topic.repositories_count]).toEqual([topic.name, bearing.filter((row) => row.topic_id === topic.id).length])
    await world.hearth.services.jobs.drain()
    expect(await foldersOf(world.hearth.services)).toEqual(await storagesOf(world.hearth.services))
  })
})
