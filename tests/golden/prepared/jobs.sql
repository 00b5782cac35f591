-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- jobs.claim
update jobs
set state = ?, attempts = attempts + ?, held_until = ?, held_by = ?
where id in ?;

-- jobs.count
select kind, state, count(*) as count
from jobs
where state in ('waiting', 'running')
group by kind, state
union all select kind, state, count(*) as count
from jobs
where state in ('done', 'failed')
  and state = ?
group by kind, state;

-- jobs.end
update jobs
set state = ?, attempts = ?, run_at = ?, finished_at = ?, last_error = ?, held_until = ?
where id = ?
  and attempts = ?
  and state = ?;

-- jobs.findDue
select id, kind, payload, attempts, last_error
from jobs
where state in ('waiting', 'running')
  and run_at <= ?
  and (state = ? or held_until <= ?)
order by run_at, id
limit ?
-- on PostgreSQL:
select id, kind, payload, attempts, last_error
from jobs
where state in ('waiting', 'running')
  and run_at <= ?
  and (state = ? or held_until <= ?)
order by run_at, id
limit ? for update skip locked;

-- jobs.findNextLapse
select min(held_until) as at
from jobs
where state = 'running';

-- jobs.findNextWaiting
select run_at as at
from jobs
where state in ('waiting', 'running')
  and state = ?
order by run_at, id
limit ?;

-- jobs.findUnfinished
select payload
from jobs
where state in ('waiting', 'running')
  and kind = ?;

-- jobs.insert
insert into jobs(kind, payload, state, run_at, created_at, attempts, held_until, last_error, finished_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning id;

-- jobs.postpone
update jobs
set run_at = ?
where id = ?
  and state = ?;

-- jobs.release
update jobs
set held_until = ?
where state = 'running'
  and held_until > ?;

-- jobs.releaseOf
update jobs
set held_until = ?
where state = 'running'
  and held_until > ?
  and held_by = ?;

-- jobs.remove
delete from jobs
where id = ?;

-- jobs.removeEnded
delete from jobs
where id in (
    select id
    from jobs
    where state in ('done', 'failed')
      and state = ?
      and finished_at < ?
    limit ?);

-- jobs.renew
update jobs
set held_until = ?
where id = ?
  and attempts = ?
  and state = ?;

-- jobs.replacePayload
update jobs
set payload = ?
where id = ?
  and payload != ?;
