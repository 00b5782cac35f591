import { expect, test } from "vitest"
import { addressesOf, placesOf } from "./places.ts"

test("of several servers the next one is tried, and the first again after the last", () => {
  const places = placesOf("postgres://hearth:p%40ss@one:5432,two,[::1]:5433/forge?sslmode=require")
  const seen = [0, 1, 2, 3].map(() => {
    const place = places.current()
    places.leave(place)
    return place
  })
  expect(places.count).toBe(3)
  expect(seen).toEqual([
    "postgres://hearth:p%40ss@one:5432/forge?sslmode=require",
    "postgres://hearth:p%40ss@two/forge?sslmode=require",
    "postgres://hearth:p%40ss@[::1]:5433/forge?sslmode=require",
    "postgres://hearth:p%40ss@one:5432/forge?sslmode=require",
  ])
})

test("a server that has been left already is not left again", () => {
  const places = placesOf("postgres://one,two/forge")
  const first = places.current()
  places.leave(first)
  places.leave(first)
  expect(places.current()).toBe("postgres://two/forge")
})

test("any other address is its own place", () => {
  for (const url of ["postgres://hearth:secret@one/forge", "postgresql://one", "postgres:///forge?host=/run/postgresql"]) {
    const places = placesOf(url)
    places.leave(url)
    expect([places.count, places.current()]).toEqual([1, url])
  }
})

test("addresses are told without passwords", () => {
  expect(addressesOf("postgres://hearth:secret@one:1,two:2/forge?password=secret")).toBe("one:1,two:2/forge")
  expect(addressesOf("nothing")).toBe("(an address that can't be read)")
})
