import { isExternalUnit, isUnit, Mode, type ModeName, UNITS, type Unit } from "../../../access/modes.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/** A team's rights as a client requests them. */
export interface WantedRights {
  readonly permission?: "" | ModeName | undefined
  readonly units?: readonly string[] | undefined
  readonly units_map?: Readonly<Record<string, ModeName>> | undefined
}

export type UnitModes = ReadonlyMap<Unit, number>

/**
 * The mode of each unit that is named, or undefined where none is. `units_map` takes precedence over the older `units`, all of which have the
 * mode of `permission` where that is read or write, and none otherwise. External units can only be read.
 * Refuses as `invalid` unknown units, and the mode owner for a unit.
 */
export function wantedUnits({ permission, units = [], units_map = {} }: WantedRights): UnitModes | undefined {
  const named = Object.entries(units_map)
  const listed = permission === "read" || permission === "write" ? Mode[permission] : Mode.none
  const modes = named.length > 0 ? named.map(([unit, mode]) => readMode(unit, mode)) : units.map((unit) => readUnit("units", unit, listed))
  return modes.length === 0 ? undefined : new Map(modes)
}

function readMode(unit: string, mode: ModeName): readonly [Unit, number] {
  const read = readUnit("units_map", unit, Mode[mode])
  if (mode === "owner") throw refuse.invalid(`units_map.${unit}`, "must be none, read, write or admin")
  return read
}

function readUnit(field: "units" | "units_map", unit: string, mode: number): readonly [Unit, number] {
  if (!isUnit(unit)) throw refuse.invalid(field, t`${unit.slice(0, 100)} is no unit; use ${UNITS.join(", ")}`)
  return [unit, isExternalUnit(unit) ? Math.min(mode, Mode.read) : mode]
}
