import { expect } from "vitest"
import { openBrowser } from "../../../tests/support/browser.ts"
import { withWorld } from "../../../tests/support/fixture.ts"
import { freshHearth, PASSWORD } from "../../../tests/support/hearth.ts"

async function open() {
  const forge = await freshHearth("memory")
  const [ann, ben] = [await forge.person("ann"), await forge.person("ben")]
  await forge.person("newcomer")
  const must = async (caller: string, route: string, body?: object) => {
    const { status, body: answer } = await forge.call(caller, route, body)
    if (status >= 300) throw new Error(`${route}: ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  await must(ann, "POST /user/repos", { name: "kettle", auto_init: true })
  await must(ann, "POST /repos/ann/kettle/issues", { title: "It whistles", assignees: ["ann"] })
  for (let number = 1; number <= 30; number++)
    await must(ben, "POST /repos/ann/kettle/issues/1/comments", { body: `**Bold** [link](https://x.example) @ann ${number}` })
  await must(ann, "POST /repos/ann/kettle/branches", { new_branch_name: "side" })
  await must(ann, "POST /repos/ann/kettle/contents/a.txt", { content: "YQ==", message: "Add a", branch: "main", new_branch: "other" })
  await forge.settle()
  const see = async (name: string, path = "/") => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return (await browser.get(path)).text
  }
  return { ...forge, see }
}

withWorld("the dashboard", { open }, ({ test, world }) => {
  test("begins with what waits, and says repeated activity in one line without Markdown", async () => {
    const text = await world.see("ann")
    expect(text).toContain('<a href="/issues?type=assigned">Assigned to you</a>')
    expect(text).toContain('<a href="/notifications?reason=mention">Unread mentions</a>')
    expect(text.match(/commented 30 times on issue/g)).toHaveLength(1)
    expect(text).toContain("Bold link @ann 30")
    expect(text).not.toContain("**Bold**")
    expect(text).toMatch(/>1 commit<\/a> to the new branch/)
  })

  test("leads on who has nothing yet, and says where nothing waits", async () => {
    const text = await world.see("newcomer")
    for (const href of ["/repo/create", "/repo/migrate", "/explore/repos", "/user/settings/keys"]) expect(text).toContain(`href="${href}"`)
    expect(text).toContain("Welcome, ")
    expect(await world.see("ben")).toContain("Nothing waits for you")
  })
})
