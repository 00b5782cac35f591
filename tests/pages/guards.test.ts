import { expect } from "vitest"
import { addressOf } from "../../src/core/forms/form.ts"
import { SHOWN_FIELD } from "../../src/core/forms/guards.ts"
import { pages } from "../../src/pages.ts"
import { openBrowser } from "../support/browser.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"

/** Every form that guards texts, sent by two people who have the same page open. */

/** The same forms at another address. */
const ALIKE = ["pull.editComment"]
/** A script puts them in the place of the title: see tests/browser/stories/pickers.test.ts. */
const IN_PLACE = ["issue.retitle", "pull.retitle"]

withHearth("guarded forms", { people: ["ann"] }, ({ test, forge, ann, call }) => {
  test("show the second what the first has written, and then take what they write", async () => {
    const make = async (route: string, body: object): Promise<string> => {
      const answer = await call(ann, route, body)
      expect(answer.status, route).toBe(201)
      return String(answer.body.id)
    }
    const site = async (route: string, body: object) => String((await call(forge.root, route, body)).body.id)
    await make("POST /user/repos", { name: "box", auto_init: true })
    await make("POST /orgs", { username: "club" })
    const at = { owner: "ann", repo: "box" }
    const api = "/repos/ann/box"
    await make(`POST ${api}/issues`, { title: "One" })
    await make(`POST ${api}/releases`, { tag_name: "v1", name: "First", body: "Two\n\nlines" })
    const hook = { type: "gitea", config: { url: "http://hook.example", content_type: "json" }, events: ["push"] }
    const project = { title: "Plan", description: "Two\nlines" }
    const plan = {
      project: await make(`POST ${api}/projects`, project),
      ownerProject: await make("POST /orgs/club/projects", project),
      myProject: await make("POST /user/projects", project),
    }
    const planAt = { project: `${api}/projects`, ownerProject: "/orgs/club/projects", myProject: "/user/projects" }
    const column = async (of: keyof typeof plan) => make(`POST ${planAt[of]}/${plan[of]}/columns`, { title: "To do" })
    const boards = { project: "/ann/box/projects", ownerProject: "/club/-/projects", myProject: "/ann/-/projects" }
    const pathOf = { project: at, ownerProject: { username: "club" }, myProject: { username: "ann" } }
    const label = { name: "bug", color: "#aabbcc", description: "Broken" }
    const milestone = await make(`POST ${api}/milestones`, { title: "Soon", description: "Two\nlines" })
    const labels = [await make(`POST ${api}/labels`, label), await make("POST /orgs/club/labels", label)]
    const comment = await make(`POST ${api}/issues/1/comments`, { body: "Said\n\nso" })
    const hooks = {
      repo: [await make(`POST ${api}/hooks`, hook), "/ann/box/settings/hooks", at],
      org: [await make("POST /orgs/club/hooks", hook), "/org/club/settings/hooks", { org: "club" }],
      user: [await make("POST /user/hooks", hook), "/user/settings/hooks", {}],
    } as const
    const adminHook = await site("POST /admin/hooks", hook)
    await make("POST /orgs/club/teams", { name: "crew", permission: "read", units: ["repo.code"], description: "All hands" })

    interface Case {
      readonly page: string
      readonly path: Readonly<Record<string, string>>
      readonly field: string
      readonly isRoot?: boolean
    }
    const cases: Record<string, Case> = {
      "milestone.edit": { page: `/ann/box/milestone/${milestone}/edit`, path: { ...at, id: milestone }, field: "description" },
      "label.edit": { page: `/ann/box/labels/${labels[0]}/edit`, path: { ...at, id: labels[0] ?? "" }, field: "description" },
      "organization.editLabel": {
        page: `/org/club/settings/labels/${labels[1]}`,
        path: { org: "club", id: labels[1] ?? "" },
        field: "description",
      },
      "releases.change": { page: "/ann/box/releases/edit/v1", path: { ...at, tag: "v1" }, field: "body" },
      "settings.about": { page: "/ann/box/settings", path: at, field: "description" },
      "organization.edit": { page: "/org/club/settings", path: { org: "club" }, field: "description" },
      "team.change": { page: "/org/club/teams/crew/edit", path: { org: "club", team: "crew" }, field: "description" },
      "team.describe": { page: "/org/club/teams/owners/edit", path: { org: "club", team: "Owners" }, field: "description" },
      "issue.editComment": { page: `/ann/box/issues/1/comments/${comment}/edit`, path: { ...at, index: "1", id: comment }, field: "body" },
      "adminHooks.save": { page: `/-/admin/hooks/${adminHook}`, path: { id: adminHook }, field: "name", isRoot: true },
    }
    for (const [owner, [id, list, path]] of Object.entries(hooks))
      cases[`${owner}Hooks.save`] = { page: `${list}/${id}`, path: { ...path, id }, field: "name" }
    for (const board of ["project", "ownerProject", "myProject"] as const) {
      const path = { ...pathOf[board], id: plan[board] }
      cases[`${board}.edit`] = { page: `${boards[board]}/${plan[board]}`, path, field: "description" }
      cases[`${board}.editColumn`] = {
        page: `${boards[board]}/${plan[board]}`,
        path: { ...path, column_id: await column(board) },
        field: "title",
      }
    }
    const guarded = pages.filter(({ guards = [] }) => guards.length > 0).map(({ id }) => id)
    expect(guarded.filter((id) => ![...ALIKE, ...IN_PLACE].includes(id)).sort()).toEqual(Object.keys(cases).sort())

    await forge.person("boss", {})
    await call(forge.root, "PATCH /admin/users/boss", { admin: true, login_name: "boss", source_id: 0 })
    const [person, boss] = [openBrowser(forge.hearth.url), openBrowser(forge.hearth.url)]
    await person.signIn("ann", PASSWORD)
    await boss.signIn("boss", PASSWORD)
    for (const [id, { page: address, path, field, isRoot }] of Object.entries(cases)) {
      const browser = isRoot ? boss : person
      const page = pages.find((each) => each.id === id)
      const action = page ? addressOf(page, path) : ""
      const fieldsIn = ({
        forms,
      }: {
        readonly forms: readonly { readonly action: string; readonly fields: Readonly<Record<string, string>> }[]
      }) => forms.find((form) => form.action === action && form.fields[SHOWN_FIELD] !== undefined)?.fields ?? {}
      const both = fieldsIn(await browser.get(address))
      expect(both, id).toHaveProperty([SHOWN_FIELD])
      expect([id, (await browser.post(action, { ...both, [field]: "By the first" })).status]).toEqual([id, 303])
      const stale = await browser.post(action, { ...both, [field]: "By the second" })
      expect([id, stale.status]).toEqual([id, 409])
      expect(stale.text, id).toMatch(/Current value[^<]*<\/p><pre[^>]*>By the first<\/pre>/)
      const shown = fieldsIn(stale)
      expect([id, shown[field]]).toEqual([id, "By the second"])
      expect([id, (await browser.post(action, shown)).status]).toEqual([id, 303])
      expect([id, fieldsIn(await browser.get(address))[field]]).toEqual([id, "By the second"])
    }
  })
})
