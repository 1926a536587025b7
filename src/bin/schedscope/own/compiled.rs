//! Policies that are compiled to WebAssembly, run by wasmi. A module means the same here as in
//! pkg/compiled.js, the host of the npm package; docs/policies/own.md describes it for authors.

use schedscope::limits;
use schedscope::policy::own::calls::each_call;
use schedscope::policy::own::{Beside, CodeHost, Definition, Guest, Submission, calls};
use schedscope::problem::Problem;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wasmi::errors::{ErrorKind, InstantiationError, MemoryError, TableError};
use wasmi::{
    Caller, CompilationMode, Config, Engine, Error, ExternType, Func, Instance, Linker, Memory,
    Module, Mutability, ResourceLimiter, ResumableCall, Store, TrapCode, Val, ValType,
};
use wasmi_core::LimiterError;

/// The name under which a module imports the engine's functions.
const ENGINE: &str = "schedscope";

/// The instructions after which the host looks at the clock: about a millisecond of work.
const SLICE: u64 = 1_000_000;

/// The most tables of a module.
const TABLES: usize = 16;

/// A compiled policy, as the engine runs it.
pub struct CompiledPolicy(Arc<CompiledCode>);

/// The compiled code of a policy, which all its instances share.
struct CompiledCode {
    /// Name of the file.
    file: String,
    /// Id of the policy.
    id: String,
    /// Parameters of the definition.
    params: Vec<Value>,
    /// The most time of a single call.
    longest: Duration,
    module: Module,
    linker: Linker<StoreData>,
}

/// The data that the host keeps beside an instance.
struct StoreData {
    /// True if the instance is there, so that its tables have their size.
    is_made: bool,
    /// Values of the parameters, in the order of the definition.
    settings: Arc<[f64]>,
}

impl ResourceLimiter for StoreData {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> Result<bool, LimiterError> {
        within(desired <= limits::OWN_MEMORY)
    }

    /// wasmi cannot go on after a `table.grow` that takes the last instruction of a slice.
    fn table_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> Result<bool, LimiterError> {
        within(!self.is_made && desired <= limits::OWN_TABLE)
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        TABLES
    }

    fn memories(&self) -> usize {
        1
    }
}

/// Stops a module that asks for more than it may have.
fn within(is_within: bool) -> Result<bool, LimiterError> {
    if is_within {
        Ok(true)
    } else {
        Err(LimiterError::ResourceLimiterDeniedAllocation)
    }
}

/// An instance of the code, with the memory of one run.
struct CompiledState {
    code: Arc<CompiledCode>,
    store: Store<StoreData>,
    instance: Instance,
    decide: Func,
    /// The function, and the number of its arguments.
    believe: Option<(Func, usize)>,
    /// The function, and the number of its arguments.
    completed: Option<(Func, usize)>,
}

/// The failure of a call.
enum Failure {
    /// The call took too long.
    TooLong,
    /// The code asked for more memory, or for a longer table, than it may have.
    TooLarge,
    /// The code trapped, in the words of wasmi.
    Trap(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let is_too_large = matches!(
            error.kind(),
            ErrorKind::TrapCode(TrapCode::GrowthOperationLimited)
                | ErrorKind::Instantiation(
                    InstantiationError::FailedToInstantiateMemory(
                        MemoryError::ResourceLimiterDeniedAllocation
                    ) | InstantiationError::FailedToInstantiateTable(
                        TableError::ResourceLimiterDeniedAllocation
                    )
                )
        );
        if is_too_large {
            Self::TooLarge
        } else {
            Self::Trap(error.to_string())
        }
    }
}

impl CompiledPolicy {
    /// Reads a compiled module. Returns the definition that it gives, and the host of its code, in
    /// which a single call may take `longest`.
    pub fn read(file: &str, code: &[u8], longest: Duration) -> Result<(Definition, Self), Problem> {
        let engine = Engine::new(&config());
        let module = Module::new(&engine, code).map_err(|error| {
            Problem::new(
                format!("{file} is not understood: {error}."),
                "The file must be a module of WebAssembly, without SIMD, threads, exceptions and garbage collection.",
                "Compile it again for `wasm32` without these features.",
            )
        })?;
        check_imports(&module, file)?;
        check_exports(&module, file)?;
        let mut code = CompiledCode {
            file: file.to_owned(),
            id: "compiled".to_owned(),
            params: Vec::new(),
            longest,
            linker: linker(&engine).map_err(|error| code_problem(file, &error.to_string()))?,
            module,
        };
        let mut json = code.description()?;
        json.entry("id").or_insert_with(|| code.id.as_str().into());
        let json = Value::Object(json);
        let definition = Definition::read(&json)?;
        definition.id().clone_into(&mut code.id);
        if let Some(params) = json["params"].as_array() {
            code.params.clone_from(params);
        }
        Ok((definition, Self(Arc::new(code))))
    }
}

impl CodeHost for CompiledPolicy {
    fn begin(&self, settings: &str) -> Result<Box<dyn Guest>, Problem> {
        let code = &self.0;
        let settings: Value = serde_json::from_str(settings).unwrap_or_default();
        let values = code.params.iter().map(|param| number(param, &settings));
        let mut state = code.state(values.collect())?;
        if let Some(begin) = state.instance.get_func(&state.store, "begin") {
            state.call("begin", begin, &[], &mut [])?;
        }
        Ok(Box::new(state))
    }
}

/// Returns a setting as a number: of a choice, the index of the word.
fn number(param: &Value, settings: &Value) -> f64 {
    let value = &settings[param["key"].as_str().unwrap_or_default()];
    let Some(word) = value.as_str() else {
        return value.as_f64().unwrap_or(f64::NAN);
    };
    let mut options = param["options"].as_array().into_iter().flatten();
    let index = options.position(|option| option["id"] == word);
    index.map_or(-1.0, |index| index as f64)
}

/// Returns the limits of the interpreter, and the parts of WebAssembly that it takes.
fn config() -> Config {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        // Code that is compiled on first use would count as executed.
        .compilation_mode(CompilationMode::Eager)
        .set_max_recursion_depth(limits::OWN_DEPTH)
        // The limit of memory holds for each memory.
        .wasm_multi_memory(false)
        .ignore_custom_sections(true);
    config
}

/// Returns the engine's functions, each with its exact type.
fn linker(engine: &Engine) -> Result<Linker<StoreData>, Error> {
    let mut linker = Linker::new(engine);
    macro_rules! functions {
        ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {$(
            linker.func_wrap(ENGINE, stringify!($name), calls::$name)?;
        )*};
    }
    each_call!(functions);
    linker.func_wrap(
        ENGINE,
        "setting",
        |caller: Caller<'_, StoreData>, index: u32| {
            let value = caller.data().settings.get(index as usize);
            value.copied().unwrap_or(f64::NAN)
        },
    )?;
    Ok(linker)
}

/// Returns true if a module may import this function.
fn is_known(name: &str) -> bool {
    macro_rules! names {
        ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $absent:expr;)*) => {
            ["setting", $(stringify!($name)),*]
        };
    }
    each_call!(names).contains(&name)
}

/// Refuses a module that imports anything but the engine's functions.
fn check_imports(module: &Module, file: &str) -> Result<(), Problem> {
    let mut imports = module.imports();
    let other = imports.find(|import| {
        let is_function = matches!(import.ty(), ExternType::Func(_));
        import.module() != ENGINE || !is_function || !is_known(import.name())
    });
    other.map_or(Ok(()), |import| {
        Err(Problem::new(
            format!(
                "{file} imports `{}.{}`, which no policy gets.",
                import.module(),
                import.name()
            ),
            "A policy gets the engine's functions only (docs/policies/own.md).",
            "Compile it without a standard library that asks for more.",
        ))
    })
}

/// Refuses a module whose exports are of another kind or type, or that has no `decide`.
fn check_exports(module: &Module, file: &str) -> Result<(), Problem> {
    for (name, wanted) in [
        ("decide", "a function without arguments and results"),
        ("describe", "a function `() -> i32`"),
        ("begin", "a function without arguments and results"),
        (
            "believe",
            "a function of up to 9 `f64` that returns an `f64`",
        ),
        (
            "completed",
            "a function of up to 10 `f64` that returns nothing",
        ),
        ("memory", "a memory"),
    ] {
        if let Some(found) = module.get_export(name)
            && !is_right(name, &found)
        {
            return Err(Problem::new(
                format!("{file} exports `{name}` as {}.", kind(&found)),
                format!("It must be {wanted} (docs/policies/own.md)."),
                "Correct the export.",
            ));
        }
    }
    if module.get_export("decide").is_none() {
        return Err(Problem::new(
            format!("{file} is no policy."),
            "A compiled policy exports a function `decide` without parameters.",
            "Export it.",
        ));
    }
    if module.get_export("describe").is_some() && module.get_export("memory").is_none() {
        return Err(Problem::new(
            format!("{file} has `describe`, and exports no `memory`."),
            "The definition is a text in the exported memory.",
            "Export the memory.",
        ));
    }
    Ok(())
}

/// Returns true if an export has the kind and the type that its name asks for.
fn is_right(name: &str, found: &ExternType) -> bool {
    let ExternType::Func(found) = found else {
        return name == "memory" && matches!(found, ExternType::Memory(_));
    };
    let takes_numbers = |most: usize| {
        let params = found.params();
        params.len() <= most && params.iter().all(|param| *param == ValType::F64)
    };
    match name {
        "decide" | "begin" => found.params().is_empty() && found.results().is_empty(),
        "describe" => found.params().is_empty() && found.results() == [ValType::I32],
        "believe" => takes_numbers(9) && found.results() == [ValType::F64],
        "completed" => takes_numbers(10) && found.results().is_empty(),
        _ => false,
    }
}

/// Returns the kind of an export, with the type of a function, in words.
fn kind(found: &ExternType) -> String {
    let ExternType::Func(function) = found else {
        return match found {
            ExternType::Global(_) => "a global",
            ExternType::Table(_) => "a table",
            _ => "a memory",
        }
        .to_owned();
    };
    let list = |types: &[ValType]| {
        let names: Vec<String> = types
            .iter()
            .map(|of| format!("{of:?}").to_lowercase())
            .collect();
        names.join(", ")
    };
    let (params, results) = (function.params(), function.results());
    format!("a function `({}) -> ({})`", list(params), list(results))
}

/// Returns the problem of a module of which no instance can be made.
fn code_problem(file: &str, said: &str) -> Problem {
    Problem::new(
        format!("{file} cannot be instantiated: {said}."),
        "Each imported function has the type that docs/policies/own.md gives it, and a start function must not trap.",
        "Correct the module.",
    )
}

/// Returns the problem of code that asks for too much memory.
fn too_large(what: &str) -> Problem {
    Problem::new(
        format!("{what} asks for more memory, or a longer table, than it may have."),
        format!(
            "A policy may have {} bytes of memory and tables of {} entries, which do not grow (docs/limits.md).",
            limits::OWN_MEMORY,
            limits::OWN_TABLE
        ),
        "Look for memory that is never freed.",
    )
}

/// Reads the JSON object in `memory` at `place`, up to a byte 0.
fn described(memory: &[u8], place: u32) -> Result<Map<String, Value>, String> {
    let rest = memory
        .get(place as usize..)
        .ok_or_else(|| format!("{place} is not in the memory"))?;
    let longest = &rest[..rest.len().min(limits::OWN_BYTES)];
    let length = longest
        .iter()
        .position(|byte| *byte == 0)
        .ok_or("no byte 0 ends it")?;
    let text = std::str::from_utf8(&longest[..length]).map_err(|error| error.to_string())?;
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("it is no object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

impl CompiledCode {
    /// Makes an instance with these settings, and runs its start function.
    fn state(self: &Arc<Self>, settings: Arc<[f64]>) -> Result<CompiledState, Problem> {
        let (store, instance) = self.instance(settings)?;
        let with_count = |name: &str| {
            let function = instance.get_func(&store, name)?;
            Some((function, function.ty(&store).params().len()))
        };
        let (believe, completed) = (with_count("believe"), with_count("completed"));
        let decide = instance
            .get_func(&store, "decide")
            .ok_or_else(|| code_problem(&self.file, "it has no `decide`"))?;
        Ok(CompiledState {
            code: Arc::clone(self),
            store,
            instance,
            decide,
            believe,
            completed,
        })
    }

    fn instance(&self, settings: Arc<[f64]>) -> Result<(Store<StoreData>, Instance), Problem> {
        let data = StoreData {
            is_made: false,
            settings,
        };
        let mut store = Store::new(self.module.engine(), data);
        store.limiter(|data| data);
        // wasmi cannot go on with a start function that has used its instructions.
        let made = store
            .set_fuel(limits::OWN_START as u64)
            .and_then(|()| self.linker.instantiate_and_start(&mut store, &self.module));
        match made {
            Ok(instance) => {
                store.data_mut().is_made = true;
                Ok((store, instance))
            }
            Err(error) if error.as_trap_code() == Some(TrapCode::OutOfFuel) => Err(Problem::new(
                format!(
                    "The start function of {} executes more than {} instructions.",
                    self.file,
                    limits::OWN_START
                ),
                "A start function may take that many (docs/limits.md).",
                "Look for a loop that does not end, or do the work in `begin`.",
            )),
            Err(error) => Err(match Failure::from(error) {
                Failure::Trap(said) => code_problem(&self.file, &said),
                _ => too_large(&self.file),
            }),
        }
    }

    /// Returns the definition that the module gives as JSON; no field if it gives none.
    fn description(&self) -> Result<Map<String, Value>, Problem> {
        let (mut store, instance) = self.instance(Arc::new([]))?;
        let (Some(describe), Some(memory)) = (
            instance.get_func(&store, "describe"),
            instance.get_memory(&store, "memory"),
        ) else {
            return Ok(Map::new());
        };
        let mut place = [Val::I32(0)];
        self.call(&mut store, describe, &[], &mut place)
            .map_err(|failure| self.problem(&format!("`describe` of {}", self.file), failure))?;
        let place = place[0].i32().unwrap_or_default() as u32;
        described(memory.data(&store), place).map_err(|said| {
            Problem::new(
                format!("The description of {} is not understood: {said}.", self.file),
                "`describe` returns the place of a JSON object in the exported `memory`, as UTF-8 with a byte 0 at its end.",
                "Correct it.",
            )
        })
    }

    /// Calls a function, and looks at the clock from time to time: a call that takes too long fails.
    fn call(
        &self,
        store: &mut Store<StoreData>,
        function: Func,
        arguments: &[Val],
        results: &mut [Val],
    ) -> Result<(), Failure> {
        store.set_fuel(SLICE)?;
        let mut call = function.call_resumable(&mut *store, arguments, results)?;
        let mut begun = None;
        loop {
            let paused = match call {
                ResumableCall::Finished => return Ok(()),
                ResumableCall::HostTrap(trap) => return Err(trap.into_host_error().into()),
                ResumableCall::OutOfFuel(paused) => paused,
            };
            // Nearly every call ends within its first slice, and asks no clock.
            if begun.get_or_insert_with(Instant::now).elapsed() > self.longest {
                return Err(Failure::TooLong);
            }
            store.set_fuel(paused.required_fuel().max(SLICE))?;
            call = paused.resume(&mut *store, results)?;
        }
    }

    /// Returns the problem of a call, which `called` names.
    fn problem(&self, called: &str, failure: Failure) -> Problem {
        match failure {
            Failure::TooLong => Problem::new(
                format!(
                    "{called} ran for more than {} seconds.",
                    self.longest.as_secs_f64()
                ),
                "A single call of a policy may take that long (docs/limits.md).",
                "Look for a loop that does not end.",
            ),
            Failure::TooLarge => too_large(called),
            Failure::Trap(said) => Problem::new(
                format!("{called} failed: {said}."),
                "The compiled code trapped.",
                "Correct the code.",
            ),
        }
    }
}

impl CompiledState {
    fn memory(&self) -> Option<Memory> {
        self.instance.get_memory(&self.store, "memory")
    }

    /// Calls a function of the policy, which `method` names in problems.
    fn call(
        &mut self,
        method: &str,
        function: Func,
        arguments: &[Val],
        results: &mut [Val],
    ) -> Result<(), Problem> {
        let called = self
            .code
            .call(&mut self.store, function, arguments, results);
        called.map_err(|failure| {
            let code = &self.code;
            code.problem(&format!("`{method}` of the policy `{}`", code.id), failure)
        })
    }

    /// Copies memory and variables to a new instance. References to functions belong to their
    /// instance, and begin anew.
    fn copy_to(&self, copy: &mut Self) -> Result<(), Failure> {
        if let (Some(from), Some(to)) = (self.memory(), copy.memory()) {
            let missing = from.size(&self.store).saturating_sub(to.size(&copy.store));
            to.grow(&mut copy.store, missing)
                .map_err(|_| Failure::TooLarge)?;
            let bytes = from.data(&self.store);
            to.data_mut(&mut copy.store)[..bytes.len()].copy_from_slice(bytes);
        }
        for export in self.instance.exports(&self.store) {
            let name = export.name();
            let Some(from) = export.into_global() else {
                continue;
            };
            let value = from.get(&self.store);
            let is_number = matches!(value, Val::I32(_) | Val::I64(_) | Val::F32(_) | Val::F64(_));
            if is_number
                && from.ty(&self.store).mutability() == Mutability::Var
                && let Some(to) = copy.instance.get_global(&copy.store, name)
            {
                to.set(&mut copy.store, value).map_err(Error::from)?;
            }
        }
        Ok(())
    }
}

impl Guest for CompiledState {
    fn beside(&self) -> Beside {
        Beside {
            believe: self.believe.is_some(),
            completed: self.completed.is_some(),
        }
    }

    fn decide(&mut self) -> Result<(), Problem> {
        self.call("decide", self.decide, &[], &mut [])
    }

    fn fork(&self) -> Result<Box<dyn Guest>, Problem> {
        let mut copy = self.code.state(Arc::clone(&self.store.data().settings))?;
        self.copy_to(&mut copy).map_err(|failure| {
            let called = format!("A copy of the policy `{}`", self.code.id);
            self.code.problem(&called, failure)
        })?;
        Ok(Box::new(copy))
    }

    fn believe(&mut self, job: &Submission) -> Result<Option<f64>, Problem> {
        let Some((believe, count)) = self.believe else {
            return Ok(None);
        };
        let facts = job.facts().map(Val::from);
        let mut belief = [Val::from(0.0)];
        self.call("believe", believe, &facts[..count], &mut belief)?;
        let belief = belief[0].f64().map_or(f64::NAN, f64::from);
        if belief > calls::LONGEST {
            return Err(Problem::new(
                format!(
                    "`believe` of the policy `{}` returned {belief}.",
                    self.code.id
                ),
                "A belief is a number of microseconds, up to 2^53.",
                "Correct the computation.",
            ));
        }
        Ok((belief >= 0.0).then_some(belief))
    }

    fn completed(&mut self, job: &Submission, ran: f64) -> Result<(), Problem> {
        let Some((completed, count)) = self.completed else {
            return Ok(());
        };
        let facts: Vec<Val> = job
            .facts()
            .into_iter()
            .chain([ran])
            .map(Val::from)
            .collect();
        self.call("completed", completed, &facts[..count], &mut [])
    }
}
