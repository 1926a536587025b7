//! Policies in JavaScript, run by QuickJS. pkg/policy.js turns a module into calls of the engine; it is
//! the same file that the page and the npm package use.

use crate::terminal::output::complain;
use rquickjs::function::Rest;
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Exception, Function, Module as EsModule, Object,
    Persistent, Runtime, Value,
};
use schedscope::limits;
use schedscope::policy::own::calls::each_call;
use schedscope::policy::own::{Beside, CodeHost, Definition, Guest, Submission, calls};
use schedscope::problem::Problem;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// The file that turns a module into calls of the engine.
const POLICY: &str = include_str!("../../../../pkg/policy.js");

/// The instant from which deadlines count.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The code of a policy.
pub struct Module {
    file: String,
    code: String,
}

/// The state of a policy in a run, by its index in [`MINDS`]. Values of QuickJS stay on their thread,
/// and so does a run.
struct QuickState {
    index: usize,
    thread: ThreadId,
}

thread_local! {
    static MINDS: RefCell<Vec<Option<Rc<QuickMind>>>> = const { RefCell::new(Vec::new()) };
}

/// The object that `begin` or `fork` of policy.js returned, and its methods.
struct QuickMind {
    object: Persistent<Object<'static>>,
    decide: Persistent<Function<'static>>,
    believe: Option<Persistent<Function<'static>>>,
    completed: Option<Persistent<Function<'static>>>,
    deadline: Deadline,
    /// The context of these values, which must be dropped after them.
    context: Context,
}

/// The end of the time that code may take, in milliseconds since [`EPOCH`].
#[derive(Clone, Default)]
struct Deadline(Arc<AtomicU64>);

impl Deadline {
    fn renew(&self) {
        let most = Duration::from_secs(limits::OWN_SECONDS as u64);
        let end = (EPOCH.elapsed() + most).as_millis() as u64;
        self.0.store(end, Ordering::Relaxed);
    }

    fn has_passed(&self) -> bool {
        EPOCH.elapsed().as_millis() as u64 > self.0.load(Ordering::Relaxed)
    }
}

impl Module {
    pub fn new(file: &str, code: String) -> Self {
        Self {
            file: file.to_owned(),
            code,
        }
    }

    /// Returns the definition of the policy.
    pub fn definition(&self) -> Result<Definition, Problem> {
        let (context, deadline) = self.context()?;
        let json = context.with(|ctx| {
            let definition = self
                .prepared(&ctx)
                .and_then(|prepared| prepared.get::<_, Value<'_>>("definition"))
                .and_then(|definition| ctx.json_stringify(definition))
                .and_then(|json| json.map_or(Ok(String::new()), |json| json.to_string()));
            definition
                .catch(&ctx)
                .map_err(|error| problem(&self.file, &error, &deadline))
        })?;
        Definition::read(&serde_json::from_str(&json).unwrap_or_default())
    }

    /// Returns a context of its own for the code, with limits of memory, stack and time.
    fn context(&self) -> Result<(Context, Deadline), Problem> {
        let made = Runtime::new().and_then(|runtime| Ok((Context::full(&runtime)?, runtime)));
        let (context, runtime) = made.map_err(|error| {
            Problem::new(
                format!("{} cannot be run: {error}.", self.file),
                "QuickJS runs policies in JavaScript, and could not begin.",
                "Free some memory.",
            )
        })?;
        runtime.set_memory_limit(limits::OWN_MEMORY);
        runtime.set_max_stack_size(256 << 10);
        let deadline = Deadline::default();
        deadline.renew();
        let watched = deadline.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watched.has_passed())));
        Ok((context, deadline))
    }

    /// Evaluates the code. Returns what `prepare` of policy.js makes of it.
    fn prepared<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
        let table = Object::new(ctx.clone())?;
        // All numbers are f64 in JavaScript. A cast takes the nearest number of the type.
        macro_rules! functions {
            ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {$(
                let call = |$($argument: f64),*| calls::$name($($argument as $type),*) as f64;
                table.set(stringify!($name), Function::new(ctx.clone(), call)?)?;
            )*};
        }
        each_call!(functions);
        let ours = namespace(ctx, "schedscope/policy", POLICY)?;
        let exact: Function<'_> = ours.get("makeExact")?;
        exact.call::<_, ()>((ctx.globals(), table.clone()))?;
        let theirs = namespace(ctx, &self.file, &self.code)?;
        let origin = Object::new(ctx.clone())?;
        origin.set("source", self.file.as_str())?;
        origin.set("log", Function::new(ctx.clone(), log)?)?;
        let prepare: Function<'_> = ours.get("prepare")?;
        prepare.call((table, theirs, origin))
    }
}

/// Evaluates a module, and returns what it exports.
fn namespace<'js>(ctx: &Ctx<'js>, name: &str, code: &str) -> rquickjs::Result<Object<'js>> {
    let (module, promise) = EsModule::declare(ctx.clone(), name, code)?.eval()?;
    promise.finish::<()>()?;
    module.namespace()
}

/// Writes what a policy logs.
#[expect(clippy::needless_pass_by_value, reason = "QuickJS hands over the text")]
fn log(now: f64, text: String) {
    complain(&format!("{} s: {text}", now / 1e6));
}

impl CodeHost for Module {
    fn begin(&self, settings: &str) -> Result<Box<dyn Guest>, Problem> {
        let (context, deadline) = self.context()?;
        let mind = context.with(|ctx| {
            let made = self.prepared(&ctx).and_then(|prepared| {
                let begin: Function<'_> = prepared.get("begin")?;
                QuickMind::of(&begin.call((settings,))?, &context, &deadline)
            });
            made.catch(&ctx)
                .map_err(|error| problem(&self.file, &error, &deadline))
        })?;
        Ok(QuickState::of(mind))
    }
}

impl QuickState {
    fn of(mind: QuickMind) -> Box<dyn Guest> {
        let index = MINDS.with_borrow_mut(|minds| {
            let free = minds.iter().position(Option::is_none);
            let index = free.unwrap_or(minds.len());
            if free.is_none() {
                minds.push(None);
            }
            minds[index] = Some(Rc::new(mind));
            index
        });
        let thread = std::thread::current().id();
        Box::new(Self { index, thread })
    }

    fn mind(&self) -> Result<Rc<QuickMind>, Problem> {
        let is_here = std::thread::current().id() == self.thread;
        let mind = || MINDS.with_borrow(|minds| minds.get(self.index)?.clone());
        is_here.then(mind).flatten().ok_or_else(|| {
            Problem::new(
                "A policy in JavaScript has left its thread.",
                "QuickJS works on one thread.",
                "Please report this, with the command.",
            )
        })
    }
}

impl Drop for QuickState {
    fn drop(&mut self) {
        if std::thread::current().id() == self.thread {
            // The table is gone when the thread ends.
            let _ = MINDS.try_with(|minds| minds.borrow_mut()[self.index].take());
        }
    }
}

impl QuickMind {
    fn of(object: &Object<'_>, context: &Context, deadline: &Deadline) -> rquickjs::Result<Self> {
        let ctx = object.ctx().clone();
        let method = |name: &str| -> rquickjs::Result<_> {
            let function: Option<Function<'_>> = object.get(name)?;
            Ok(function.map(|function| Persistent::save(&ctx, function)))
        };
        Ok(Self {
            context: context.clone(),
            decide: Persistent::save(&ctx, object.get::<_, Function<'_>>("decide")?),
            believe: method("believe")?,
            completed: method("completed")?,
            object: Persistent::save(&ctx, object.clone()),
            deadline: deadline.clone(),
        })
    }

    /// Calls code of the policy.
    fn call<T>(
        &self,
        call: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>,
    ) -> Result<T, Problem> {
        self.deadline.renew();
        self.context.with(|ctx| {
            call(&ctx)
                .catch(&ctx)
                .map_err(|error| problem("the policy", &error, &self.deadline))
        })
    }
}

impl Guest for QuickState {
    fn beside(&self) -> Beside {
        self.mind().map_or_else(
            |_| Beside::default(),
            |mind| Beside {
                believe: mind.believe.is_some(),
                completed: mind.completed.is_some(),
            },
        )
    }

    fn decide(&mut self) -> Result<(), Problem> {
        let mind = self.mind()?;
        mind.call(|ctx| {
            let failed: Option<Object<'_>> = mind.decide.clone().restore(ctx)?.call(())?;
            failed.map_or(Ok(()), |failed| Err(ctx.throw(failed.into_value())))
        })
    }

    fn fork(&self) -> Result<Box<dyn Guest>, Problem> {
        let mind = self.mind()?;
        let forked = mind.call(|ctx| {
            let object = mind.object.clone().restore(ctx)?;
            let fork: Function<'_> = object.get("fork")?;
            QuickMind::of(&fork.call(())?, &mind.context, &mind.deadline)
        })?;
        Ok(Self::of(forked))
    }

    fn believe(&mut self, job: &Submission) -> Result<Option<f64>, Problem> {
        let mind = self.mind()?;
        let Some(believe) = &mind.believe else {
            return Ok(None);
        };
        mind.call(|ctx| {
            let believe = believe.clone().restore(ctx)?;
            believe.call((Rest(job.facts().to_vec()),))
        })
    }

    fn completed(&mut self, job: &Submission, ran: f64) -> Result<(), Problem> {
        let mind = self.mind()?;
        let Some(completed) = &mind.completed else {
            return Ok(());
        };
        mind.call(|ctx| {
            let completed = completed.clone().restore(ctx)?;
            let mut all = job.facts().to_vec();
            all.push(ran);
            completed.call((Rest(all),))
        })
    }
}

/// Returns what the code threw as a problem.
fn problem(file: &str, error: &CaughtError<'_>, deadline: &Deadline) -> Problem {
    if deadline.has_passed() {
        return Problem::new(
            format!(
                "The code of {file} ran for more than {} seconds.",
                limits::OWN_SECONDS
            ),
            "A single call of a policy may take that long (docs/limits.md).",
            "Look for a loop that does not end.",
        );
    }
    if let CaughtError::Value(value) = error
        && let Some(object) = value.as_object()
        && let (Ok(what), Ok(why), Ok(next)) =
            (object.get("what"), object.get("why"), object.get("next"))
    {
        let (what, why, next): (String, String, String) = (what, why, next);
        let line = object.get::<_, Option<f64>>("line").ok().flatten();
        return Problem {
            line: line.map(|line| line as u64),
            ..Problem::new(what, why, next)
        };
    }
    let said = match error {
        CaughtError::Exception(exception) => said(exception),
        other => other.to_string(),
    };
    Problem::new(
        format!("The code of {file} is not understood: {said}."),
        "The file must be one valid module of JavaScript, which imports nothing and has `export default`.",
        "Correct the code.",
    )
}

/// Returns an exception in one line, with its place.
fn said(exception: &Exception<'_>) -> String {
    let stack = exception.stack().unwrap_or_default();
    let place = stack.lines().next().unwrap_or_default().trim();
    let message = exception.message().unwrap_or_default();
    if place.is_empty() {
        message
    } else {
        format!("{message} ({place})")
    }
}
