import { TOTP } from "otpauth"
import { expect } from "vitest"
import { PASSWORD } from "../../support/hearth.ts"
import { stories } from "./stories.ts"

const SECURITY = "/user/settings/security"

stories((story) => {
  story("a second step is set up, a recovery code lets in, and other sessions end", async ({ enter, forge, own }) => {
    const kim = own("kim")
    await forge.person(kim)
    const [person, other] = [await enter(kim), await enter(kim)]
    await person.open(`${SECURITY}/two_factor/enroll`)
    const secret = (await person.page.getByText(/^Secret: /).innerText()).replace("Secret: ", "").replaceAll(" ", "")
    await person.send({ Code: new TOTP({ secret }).generate() }, "Enable")
    const [code = ""] = await person.page.locator("main code").allInnerTexts()

    // The other browser was signed out; it needs both steps now.
    await other.open(SECURITY)
    await other.send({ "User name or e-mail address": kim, Password: PASSWORD }, "Sign in")
    await other.send({ Code: "000000" }, "Continue")
    await other.send({ Code: code }, "Continue")
    await other.sees("7 recovery codes")
    await person.open(SECURITY)
    await person.press("Sign out all other sessions")
    await other.open(SECURITY)
    expect([new URL(person.page.url()).pathname, new URL(other.page.url()).pathname]).toEqual([SECURITY, "/user/login"])
  })
})
