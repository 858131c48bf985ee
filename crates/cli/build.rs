//! Tells the binary where Z3's library stands, so that it can be started without Cargo.

fn main() {
    if let Ok(folder) = std::env::var("DEP_SELVEDGE_Z3_LIB") {
        println!("cargo::rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
