-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- schedule.claimDue
update schedule
set held_until = ?, held_by = ?, last_run_at = ?, next_run_at = ?, last_status = ?, last_message = ?
where name = ?
  and held_until <= ?
  and next_run_at <= ?;

-- schedule.claimNow
update schedule
set held_until = ?, held_by = ?, last_run_at = ?, last_status = ?, last_message = ?
where name = ?
  and held_until <= ?;

-- schedule.end
update schedule
set held_until = ?, runs = runs + ?, last_status = ?, last_message = ?
where name = ?
  and last_run_at = ?
  and last_status = ?;

-- schedule.find
select last_status
from schedule
where name = ?;

-- schedule.list
select *
from schedule
order by name;

-- schedule.putDue
update schedule
set next_run_at = ?
where name = ?
  and held_until <= ?;

-- schedule.putNext
insert into schedule(name, next_run_at, last_run_at, held_until, runs, last_status, last_message)
values (?, ?, ?, ?, ?, ?, ?) on conflict (name) do update
set next_run_at = ?;

-- schedule.release
update schedule
set held_until = ?
where last_status = ?;

-- schedule.releaseOf
update schedule
set held_until = ?
where last_status = ?
  and held_by = ?;

-- schedule.renew
update schedule
set held_until = ?
where name = ?
  and last_run_at = ?
  and last_status = ?;

-- schedule.writeHealth
insert into schedule(name, next_run_at, last_run_at, held_until, runs, last_status, last_message)
values (?, ?, ?, ?, ?, ?, ?) on conflict (name) do update
set last_run_at = ?;
