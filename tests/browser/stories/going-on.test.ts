import { expect } from "vitest"
import { PASSWORD } from "../../support/hearth.ts"
import { stories } from "./stories.ts"

const NEW = "another-Pass-9"

stories((story) => {
  story("an account that must change its password is led straight in", async ({ enter, forge, own }) => {
    const name = own("novice")
    await forge.person(name, { must_change_password: true })
    const person = await enter()
    await person.open("/user/settings")
    await person.send({ "User name or e-mail address": name, Password: PASSWORD }, "Sign in")
    await person.send({ "New password": NEW, "Confirm new password": NEW }, "Save and continue")
    await person.sees("Public profile")
  })

  story("a comment whose session has ended is sent after signing in, and shown to somebody else", async ({ enter, ask, made, scripts }) => {
    const at = await made("held")
    await ask("ann", `POST /repos${at}/issues`, { title: "Crash" })
    const ann = await enter()
    await ann.open("/user/login")
    await ann.send({ "User name or e-mail address": "ann", Password: PASSWORD }, "Sign in")
    // What scripts ask for meanwhile, and the page that asks to sign in.
    ann.forgive(/401|403|409|net::ERR/)
    const out = () => ann.page.context().clearCookies({ name: "hearth_session" })
    const write = async (text: string) => {
      await ann.open(`${at}/issues/1`)
      await ann.fill({ "Add a comment": text })
      await out()
      await ann.press("Comment")
      await ann.sees("Your session has ended. Nothing you wrote is lost: it is sent once you sign in as ann.")
    }
    await write("Mine, *from* before")
    await ann.send({ Password: PASSWORD }, "Sign in and continue")
    await ann.sees("Mine, from before")

    await write("Words of ann")
    await ann.send({ "User name or e-mail address": "bob", Password: PASSWORD }, "Sign in and continue")
    await ann.sees("you are signed in as bob. Nothing is sent unless you say so.")
    await ann.unfold("Your version")
    await ann.sees("Words of ann")
    if (scripts) await out()
    else return ann.press("Send it as bob").then(() => ann.sees("Words of ann"))
    // Left without sending: the text is still in its field.
    await ann.open("/user/login")
    await ann.send({ "User name or e-mail address": "ann", Password: PASSWORD }, "Sign in")
    await ann.open(`${at}/issues/1`)
    expect(await ann.page.getByLabel("Add a comment", { exact: true }).inputValue()).toBe("Words of ann")
  })
})
