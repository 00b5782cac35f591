import { expect } from "vitest"
import { PASSWORD } from "../../support/hearth.ts"
import { storiesOfAnotherSite } from "./stories.ts"

storiesOfAnotherSite({ annAdministers: true }, (story) => {
  story("the site is administered", async ({ ask, enter, own }) => {
    const guest = own("guest")
    const [administrator, other] = [await enter("ann"), await enter("bob")]
    await other.open("/-/admin")
    await other.sees("404")
    await administrator.open("/-/admin/users/new")
    const account = {
      Name: guest,
      "E-mail address": `${guest}@example.com`,
      Password: PASSWORD,
      "Require a password change at the next sign-in": "",
    }
    await administrator.send(account, "Create account")
    await administrator.open(`/-/admin/users/${guest}`)
    await administrator.send({ Restricted: "yes" }, "Save account")
    expect(await ask("ann", `GET /users/${guest}`)).toMatchObject({ restricted: true })
    await administrator.open("/-/admin/monitor/cron")
    await administrator.press(/^Run now.*check_repo_stats$/)
    await administrator.open("/-/admin/audit")
    await administrator.send({ Administrator: "ann", Operation: "adminEditUser" }, "Search")
    await administrator.sees(guest)
    await administrator.open("/-/admin/config")
    await administrator.sees("registration")
  })
})
