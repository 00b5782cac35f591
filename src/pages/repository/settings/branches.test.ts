import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

withHearth("rules for branches and tags", { people: ["ann", "ben", "cyd"] }, ({ test, forge, ann, call }) => {
  let owner: Browser
  let writer: Browser
  const at = "/club/box/settings"

  test.beforeAll(async () => {
    await call(ann, "POST /orgs", { username: "club" })
    await call(ann, "POST /orgs/club/repos", { name: "box", auto_init: true })
    await call(ann, "POST /orgs/club/teams", { name: "makers", permission: "write", units_map: { "repo.code": "write" } })
    await call(ann, "PUT /repos/club/box/teams/makers")
    for (const name of ["ben", "cyd"]) await call(ann, `PUT /repos/club/box/collaborators/${name}`, { permission: "write" })
    owner = openBrowser(forge.hearth.url)
    await owner.signIn("ann", PASSWORD)
    writer = openBrowser(forge.hearth.url)
    await writer.signIn("ben", PASSWORD)
  })

  const faultOf = ({ text }: { readonly text: string }) => /class="(?:fault|notice bad)"[^>]*>([^<]*)/.exec(text)?.[1]
  const rules = async () => (await call(ann, "GET /repos/club/box/branch_protections")).body
  const tagRules = async () => (await call(ann, "GET /repos/club/box/tag_protections")).body
  const names = async () => (await rules()).map(({ rule_name }: { rule_name: string }) => rule_name)

  test("are made by a form, and said in sentences", async () => {
    const page = await owner.get(`${at}/branches/new`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const { fields } = page.forms.find(({ action }) => action === `${at}/branches/new`) ?? { fields: {} }
    const sent = {
      ...fields,
      rule_name: "release/*",
      push: "listed",
      push_whitelist_usernames: "ben, cyd",
      push_whitelist_teams: "makers",
      required_approvals: "2",
      enable_status_check: "true",
      status_check_contexts: "build/*\r\n\r\nlint",
      protected_file_patterns: "docs/**\r\n*.lock",
    }
    expect((await owner.post(`${at}/branches/new`, sent)).location).toBe(`${at}/branches`)
    expect((await rules())[0]).toMatchObject({
      rule_name: "release/*",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["ben", "cyd"],
      push_whitelist_teams: ["makers"],
      enable_force_push: false,
      required_approvals: 2,
      status_check_contexts: ["build/*", "lint"],
      protected_file_patterns: "docs/**;*.lock",
    })
    const list = await owner.get(`${at}/branches`)
    expect([list.status, faultsIn(list.text)]).toEqual([200, []])
    expect(list.text).toContain(
      "Only ben, cyd, and the team makers may push. No one can force-push. No push changes these files: docs/**, *.lock. A merge needs 2 approvals. These checks must succeed: build/*, lint. Administrators may merge against these conditions.",
    )
  })

  test("stay as they are when nothing is touched, and are edited", async () => {
    const at1 = `${at}/branches/edit/release/*`
    const page = await owner.get(at1)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const fields = page.forms.find(({ action }) => action.includes("/branches/edit/"))?.fields ?? {}
    const [before] = await rules()
    await owner.post(at1, fields)
    expect({ ...(await rules())[0], updated_at: "" }).toEqual({ ...before, updated_at: "" })
    await owner.post(at1, { ...fields, push: "nobody", push_whitelist_usernames: "", required_approvals: "" })
    expect((await rules())[0]).toMatchObject({ enable_push: false, push_whitelist_usernames: [], required_approvals: 0 })
    expect((await owner.get(`${at}/branches/edit/nothing`)).status).toBe(404)
  })

  test("that are wrong are shown again", async () => {
    const refused = await owner.post(`${at}/branches/new`, { rule_name: "main", push: "listed", push_whitelist_usernames: "ben nobody" })
    expect([refused.status, faultOf(refused)]).toEqual([422, "There is no user nobody."])
    expect(refused.text).toMatch(/value="ben nobody"[^>]*aria-invalid="true"/)
    const taken = await owner.post(`${at}/branches/new`, { rule_name: "release/*" })
    expect([taken.status, faultOf(taken)]).toEqual([403, "Branch protection already exist."])
    expect(await names()).toEqual(["release/*"])
  })

  test("are put in another order and deleted", async () => {
    await owner.post(`${at}/branches/new`, { rule_name: "main" })
    expect(await names()).toEqual(["release/*", "main"])
    const page = await owner.get(`${at}/branches`)
    const order = page.forms.find(({ action }) => action === `${at}/branches/order`)?.fields ?? {}
    await owner.post(`${at}/branches/order`, order)
    expect(await names()).toEqual(["main", "release/*"])
    expect((await owner.post(`${at}/branches/order`, { order: "x" })).status).toBe(422)
    await owner.post(`${at}/branches/delete/release/*`, {})
    expect(await names()).toEqual(["main"])
  })

  test("of tags are made, edited and deleted", async () => {
    await owner.post(`${at}/tags`, { name_pattern: "v*", whitelist_usernames: "ben", whitelist_teams: "makers" })
    const [rule] = await tagRules()
    expect(rule).toMatchObject({ name_pattern: "v*", whitelist_usernames: ["ben"], whitelist_teams: ["makers"] })
    const list = await owner.get(`${at}/tags`)
    expect([list.status, faultsIn(list.text)]).toEqual([200, []])
    expect(list.text).toContain("Only ben and the team makers may make, move and delete such tags.")
    const page = await owner.get(`${at}/tags/${rule.id}`)
    expect([page.status, faultsIn(page.text)]).toEqual([200, []])
    const refused = await owner.post(`${at}/tags/${rule.id}`, { name_pattern: "/(/", whitelist_usernames: "" })
    expect([refused.status, refused.text.includes('value="/(/"')]).toEqual([422, true])
    await owner.post(`${at}/tags/${rule.id}`, { name_pattern: "v*", whitelist_usernames: "" })
    expect((await tagRules())[0]).toMatchObject({ whitelist_usernames: [], whitelist_teams: [] })
    await owner.post(`${at}/tags/${rule.id}/delete`, {})
    expect(await tagRules()).toEqual([])
  })

  test("are for administrators alone", async () => {
    for (const part of ["branches", "branches/new", "branches/edit/main", "tags"])
      expect([part, (await writer.get(`${at}/${part}`)).status]).toEqual([part, 404])
    for (const part of ["branches/new", "branches/edit/main", "branches/delete/main", "branches/order", "tags", "tags/1", "tags/1/delete"])
      expect([part, (await writer.post(`${at}/${part}`, { rule_name: "a", name_pattern: "a" })).status]).toEqual([part, 403])
    expect(await names()).toEqual(["main"])
  })
})
