import { expect } from "vitest"
import { PASSWORD } from "../../support/hearth.ts"
import { PICTURE, storiesOfAnotherSite } from "./stories.ts"

const config = { users: { registration: "invitation" } } as const

storiesOfAnotherSite({ annAdministers: true, config }, (story) => {
  story("two people bring a change from an invitation to a release", async ({ enter, ask, own }) => {
    const [zoe, name] = [own("zoe"), own("plan")]
    const at = `/${zoe}/${name}`
    const [first, second] = [await enter(), await enter("ann")]

    await second.open("/-/admin/users")
    await second.send({ "E-mail address": `${zoe}@example.com` }, "Invite")
    const link = await second.page.getByText("/user/sign_up?code=").first().innerText()
    await first.open(new URL(link).pathname + new URL(link).search)
    await first.send({ "User name": zoe, Password: PASSWORD, "Confirm password": PASSWORD }, "Create account")
    await first.open("/user/settings")
    await first.send({ Name: "Zoe Zimmer", "About you": "Grows **beans**." }, "Save")
    await first.attach("New avatar", { "zoe.png": PICTURE })
    await first.press("Upload")
    await first.open(`/${zoe}`)
    await first.sees("Zoe Zimmer")

    await first.open("/repo/create")
    await first.send({ Name: name, "Add a README": "yes" }, "Create repository")
    await first.open(`${at}/settings/collaboration`)
    await first.send({ "User name": "ann", Permission: "write" }, "Add")
    await first.open(`${at}/issues/new`)
    await first.send({ Title: "Greet people", Text: "A word at the door." }, "Create issue")

    await second.open(`${at}/_edit/main/README.md`)
    await second.send({ Content: "# Plan\n\nWelcome!\n", "Commit message": "Say welcome", Branch: "welcome" }, "Commit")
    await second.send({ Title: "Say welcome", Text: "Closes #1" }, "Create pull request")
    await second.sees("wants to merge 1 commit")

    await first.open(`${at}/pulls/2/files`)
    await first.unfold("Review changes")
    await first.send({ Summary: "Just so.", Approve: "yes" }, "Submit review")
    await second.open(`${at}/pulls/2`)
    await second.sees("Just so.")
    await second.press("Merge")
    await first.open(`${at}/issues/1`)
    await first.sees("Closed")

    await first.open(`${at}/releases/new`)
    await first.send({ Tag: "v1", Title: "The first", Notes: "It says welcome." }, "Publish")
    await second.open(`${at}/releases`)
    await second.sees("It says welcome.")
    expect(await ask("ann", `GET /repos${at}/issues/1`)).toMatchObject({ state: "closed" })
    expect(await ask("ann", `GET /repos${at}/releases/tags/v1`)).toMatchObject({ name: "The first", draft: false })
  })
})
