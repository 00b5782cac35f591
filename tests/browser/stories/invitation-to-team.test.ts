import { afterAll, expect } from "vitest"
import { mailConfig, openMailServer } from "../../../src/features/events/mail/testing.ts"
import { PASSWORD } from "../../support/hearth.ts"
import { storiesOfAnotherSite } from "./stories.ts"

const mails = await openMailServer()
afterAll(() => mails.close())
const config = { mail: mailConfig(mails), users: { registration: "invitation" } } as const

storiesOfAnotherSite({ config }, (story) => {
  story("someone is invited to a team by mail, makes an account and joins", async ({ enter, forge, of, own }) => {
    const [organization, guest] = [own("acme"), own("guest")]
    await forge.call(of("ann"), "POST /orgs", { username: organization })
    await forge.call(of("ann"), `POST /orgs/${organization}/teams`, { name: "gardeners", permission: "read", units: ["repo.code"] })
    const ann = await enter("ann")
    await ann.open(`/org/${organization}/teams/gardeners`)
    await ann.fill({ "E-mail address": `${guest}@example.com` })
    await ann.press("Invite")
    await ann.sees("Invitation sent.")
    await forge.hearth.services.jobs.drain()
    const mail = mails.arrived.findLast(({ to }) => to === `${guest}@example.com`)
    const link = /(\/org\/invitation\?code=\S+)/.exec(mail?.parts.get("text/plain") ?? "")?.[1] ?? ""

    const person = await enter()
    await person.open(link)
    await person.press("Create an account")
    await person.fill({ "User name": guest, Password: PASSWORD, "Confirm password": PASSWORD })
    await person.press("Create account")
    await person.sees("You join as")
    await person.press("Join")
    await person.sees("You have joined the team gardeners.")

    // They want no mail, and dismiss what the administrator has to say.
    const { id } = (await forge.call(forge.root, "POST /admin/announcements", { content: `Hello ${guest}` })).body
    await person.open("/user/settings/notifications")
    await person.sees(`Hello ${guest}`)
    await person.fill({ "Participating: by mail": "" })
    await person.press("Save")
    await person.sees("Saved.")
    await Promise.all([person.page.waitForEvent("load"), person.page.getByRole("button", { name: "Dismiss this announcement" }).click()])
    await person.sees("By repository")
    expect(await person.page.getByText(`Hello ${guest}`).count()).toBe(0)
    await forge.call(forge.root, `DELETE /admin/announcements/${id}`)
    const chosen = (await forge.call(`Basic ${btoa(`${guest}:${PASSWORD}`)}`, "GET /user/settings/notifications")).body
    expect(chosen.mail).not.toContain("participating")
    expect(chosen.list).toContain("participating")
  })
})
